package shapes;

import java.util.Arrays;

/** A matrix of whole numbers, indented with tabs. */
public final class Matrix
{
	private final int rows;
	private final int columns;
	private final int[][] cells;

	public Matrix(int rows, int columns)
	{
		if (rows <= 0 || columns <= 0)
		{
			throw new IllegalArgumentException("size: " + rows + " x " + columns);
		}
		this.rows = rows;
		this.columns = columns;
		this.cells = new int[rows][columns];
	}

	public int get(int row, int column)
	{
		check(row, column);
		return cells[row][column];
	}

	public void set(int row, int column, int value)
	{
		check(row, column);
		cells[row][column] = value;
	}

	private void check(int row, int column)
	{
		if (row < 0 || row >= rows || column < 0 || column >= columns)
			throw new IndexOutOfBoundsException(row + "," + column);
	}

	public Matrix transposed()
	{
		Matrix result = new Matrix(columns, rows);
		for (int row = 0; row < rows; row++)
			for (int column = 0; column < columns; column++)
				result.cells[column][row] = cells[row][column];
		return result;
	}

	public Matrix times(Matrix other)
	{
		if (columns != other.rows) {
			throw new IllegalArgumentException("sizes differ");
		}
		Matrix result = new Matrix(rows, other.columns);
		for (int row = 0; row < rows; row++) {
			for (int column = 0; column < other.columns; column++) {
				int sum = 0;
				for (int step = 0; step < columns; step++) {
					sum += cells[row][step] * other.cells[step][column];
				}
				result.cells[row][column] = sum;
			}
		}
		return result;
	}

	public int trace()
	{
		int size = Math.min(rows, columns);
		int sum = 0;
		int index = 0;
		while (index < size) {
			sum += cells[index][index];
			index++;
		}
		return sum;
	}

	public int maximum()
	{
		int best = Integer.MIN_VALUE;
		for (int[] row : cells) {
			for (int value : row) {
				if (value > best) {
					best = value;
				}
			}
		}
		return best;
	}

	public boolean isSquare()
	{
		return rows == columns;
	}

	@Override
	public boolean equals(Object object)
	{
		if (this == object) {
			return true;
		}
		if (!(object instanceof Matrix)) {
			return false;
		}
		Matrix other = (Matrix) object;
		return rows == other.rows && columns == other.columns && Arrays.deepEquals(cells, other.cells);
	}

	@Override
	public int hashCode()
	{
		int result = 31 * rows + columns;
		result = 31 * result + Arrays.deepHashCode(cells);
		return result;
	}
}
