#include "python/pyproject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static struct gf_arena arena;

static struct py_pyproject parse(const char *text)
{
    struct py_pyproject p;
    struct gf_err err = GF_ERR_INIT;
    if (py_pyproject_parse(&arena, gf_slice_of(text), "pyproject.toml", &p, &err)) fail_msg("%s", err.text);
    return p;
}

static void a_project_names_its_dependencies(void **state)
{
    (void)state;
    struct py_pyproject p = parse("[project]\nname = 'My_App'\nversion = '1'\nrequires-python = '>=3.9'\ndynamic = ['readme']\ndependencies = ['torch>=2', \"numpy ; python_version<'4'\"]\n"
                                  "[project.optional-dependencies]\nGPU_x = ['my-app[base]']\nbase = []\n[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n");
    assert_string_equal(p.name, "my-app");
    assert_string_equal(p.requires_python, ">=3.9");
    assert_int_equal(p.dependencies.n, 2);
    assert_string_equal(py_req_text(&arena, &p.dependencies.v[1]), "numpy; python_version < \"4\"");
    assert_int_equal(p.nextras, 2);
    assert_string_equal(p.extras[0].name, "gpu-x");
    assert_string_equal(p.extras[0].reqs.v[0].extras[0], "base");
    assert_int_equal(p.build_requires.n, 1);
    assert_string_equal(p.build_backend, "hatchling.build");
    assert_false(p.dynamic_dependencies);
    p = parse("[project]\nname = 'a'\ndynamic = ['dependencies']\n");
    assert_true(p.dynamic_dependencies);
    assert_string_equal(p.build_requires.v[0].text, "setuptools>=40.8.0");
    assert_null(parse("[tool.x]\n").name);
}

static void groups_include_groups(void **state)
{
    (void)state;
    struct py_pyproject p = parse("[dependency-groups]\ntest = ['pytest', {include-group = 'Base_Set'}]\nbase-set = ['numpy']\nall = [{include-group = 'test'}, {include-group = 'base-set'}, 'tqdm']\n");
    struct py_reqs r;
    struct gf_err err = GF_ERR_INIT;
    if (py_pyproject_group(&arena, &p, GF_S("ALL"), &r, &err)) fail_msg("%s", err.text);
    assert_int_equal(r.n, 3);
    assert_string_equal(r.v[0].name, "pytest");
    assert_string_equal(r.v[1].name, "numpy");
    assert_string_equal(r.v[2].name, "tqdm");
}

static void group_refused(const char *text, const char *part)
{
    struct py_pyproject p = parse(text);
    struct py_reqs r;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(py_pyproject_group(&arena, &p, GF_S("a"), &r, &err), -1);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void bad_groups_are_refused_by_name(void **state)
{
    (void)state;
    group_refused("[dependency-groups]\nb = []\n", "there is no dependency group 'a'");
    group_refused("[dependency-groups]\na = [{include-group = 'b'}]\nb = [{include-group = 'A'}]\n", "pyproject.toml:2: the dependency group 'a' includes itself, through 'b'");
    group_refused("[dependency-groups]\na = []\nA = []\n", "stands twice");
    group_refused("[dependency-groups]\na = 'x'\n", "a is a string, expected an array");
    group_refused("[dependency-groups]\na = [{x = 1}]\n", "expected a requirement or {include-group");
    group_refused("[dependency-groups]\na = ['b c']\n", "pyproject.toml:2: dependency group: requirement 'b c'");
}

static void refused(const char *text, const char *part)
{
    struct py_pyproject p;
    struct gf_err err = GF_ERR_INIT;
    assert_int_equal(py_pyproject_parse(&arena, gf_slice_of(text), "pyproject.toml", &p, &err), -1);
    if (!strstr(err.text, part)) fail_msg("'%s' should say '%s'", err.text, part);
}

static void bad_projects_are_refused_with_their_line(void **state)
{
    (void)state;
    refused("[project]\nversion = '1'\n", "[project] has no valid name");
    refused("[project]\nname = 'a'\ndependencies = 'b'\n", "pyproject.toml:3: dependencies is a string, expected an array of requirements");
    refused("[project]\nname = 'a'\ndependencies = [\n'b',\n'c d']\n", "pyproject.toml:5: dependencies: requirement 'c d'");
    refused("[project]\nname = 'a'\noptional-dependencies = {x = [], X = []}\n", "the extra 'x' stands twice");
    refused("[build-system]\n", "no requires");
    refused("[project\n", "pyproject.toml:1:9: expected ']'");
}

static int release(void **state)
{
    (void)state;
    gf_arena_release(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_project_names_its_dependencies),
        cmocka_unit_test(groups_include_groups),
        cmocka_unit_test(bad_groups_are_refused_by_name),
        cmocka_unit_test(bad_projects_are_refused_with_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, release);
}
