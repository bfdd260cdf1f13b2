import pytest

from signpost import Match, NotFound, Router


@pytest.fixture
def router():
    admin = Router()
    admin.add("/", "admin.home")
    admin.add("/users/{user:int}", "admin.user")
    admin.add("/dashboard", "admin.dashboard")
    reports = Router()
    reports.add("/{year:int}", "reports.year")
    site = Router()
    site.add("/", "home")
    site.add("/news/{title}", "news")
    site.mount("/admin", admin)
    site.mount("/admin/reports", reports)
    return site


def test_routes_of_its_own(router):
    assert router.resolve("/") == Match("home", {})
    assert router.resolve("/news/rain/") == Match("news", {"title": "rain"})


def test_mounted_router(router):
    assert router.resolve("/admin") == Match("admin.home", {})
    assert router.resolve("/admin/users/7") == Match("admin.user", {"user": 7})


def test_mounted_page_that_begins_like_its_prefix(router):
    assert router.resolve("/admin/dashboard") == Match("admin.dashboard", {})


def test_longest_prefix_counts(router):
    assert router.resolve("/admin/reports/2024") == Match("reports.year", {"year": 2024})


def test_nothing_there(router):
    with pytest.raises(NotFound, match="/about"):
        router.resolve("/about")
    with pytest.raises(NotFound, match="^/pages$"):
        router.resolve("/admin/pages")


def test_first_route_wins():
    router = Router()
    router.add("/news/latest", "latest")
    router.add("/news/{title}", "news")
    assert router.resolve("/news/latest").name == "latest"
    assert router.resolve("/news/oldest").name == "news"


def test_paths_of_names(router):
    assert router.path_of("news", title="rain") == "/news/rain"
    assert router.path_of("admin.user", user=7) == "/admin/users/7"
    assert router.path_of("reports.year", year=2024) == "/admin/reports/2024"
    with pytest.raises(NotFound):
        router.path_of("weather")
