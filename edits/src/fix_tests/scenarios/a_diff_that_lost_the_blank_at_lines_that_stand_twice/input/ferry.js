describe('ferry', () => {
  it('leaves', done => {
    ask(dock)
      .expect('berth', 'north')
      .expect('flag', 'up "high"')
      .end(done)
  })

  it('comes', done => {
    ask(quay)
      .expect('berth', 'north')
      .expect('flag', 'up "high"')
      .end(done)
  })
})
