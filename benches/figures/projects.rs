//! Made-up projects of some size, for figures that the samples are too small for. The same words give the same bytes.

use std::fmt::Write as _;
use std::path::Path;

/// Methods of each class or module. Each has its number in it, so that no two are alike.
const METHODS: usize = 12;

/// A project that was made.
pub struct Made {
    /// Lines of production code and of tests.
    pub lines: usize,
    /// How many tests there are.
    pub tests: usize,
    /// The production file with the bug.
    pub buggy: String,
}

/// A Java project of `classes` classes and as many test classes, in `folder`. `clamp3` of the middle class is wrong.
pub fn java(folder: &Path, classes: usize) -> Made {
    let mut made = Made { lines: 0, tests: 0, buggy: String::new() };
    for class in 0..classes {
        let package = format!("made.part{}", class / 10);
        let below = class.checked_sub(1).map(|below| format!("made.part{}.Unit{below}", below / 10));
        let (mut code, mut tests) = (String::new(), String::new());
        let _ = writeln!(
            code,
            "package {package};\n\nimport java.util.ArrayList;\nimport java.util.List;\n\n/** Sums and bounds. */\npublic final class Unit{class} {{\n    private Unit{class}() {{\n    }}"
        );
        let _ = writeln!(
            tests,
            "package {package};\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class Unit{class}Test {{"
        );
        for method in 0..METHODS {
            let bug = class == classes / 2 && method == 3;
            let (bound, sign) = (class + method + 5, if bug { ">" } else { "<" });
            let _ = writeln!(
                code,
                "\n    /** The sum of the values up to a bound. */\n    public static int sum{method}(int[] values) {{\n        int sum = {method};\n        for (int value : values) {{\n            if (value <= {bound}) {{\n                sum += value;\n            }}\n        }}\n        return sum;\n    }}"
            );
            let _ = writeln!(
                code,
                "\n    /** The value, held between bounds. */\n    public static int clamp{method}(int value) {{\n        int low = -{bound};\n        int high = {bound};\n        if (value {sign} low) {{\n            return low;\n        }}\n        return value > high ? high : value;\n    }}"
            );
            let _ = writeln!(
                code,
                "\n    /** The digits of a number. */\n    public static List<Integer> digits{method}(int number) {{\n        List<Integer> digits = new ArrayList<>();\n        int rest = number + {method};\n        while (rest > 0) {{\n            digits.add(0, rest % 10);\n            rest = rest / 10;\n        }}\n        return digits;\n    }}"
            );
            let chain = below
                .as_ref()
                .map_or_else(|| "value".to_owned(), |below| format!("{below}.clamp{method}(value)"));
            let _ = writeln!(
                code,
                "\n    /** Through the class below. */\n    public static int through{method}(int value) {{\n        return {chain} + clamp{method}(value);\n    }}"
            );
            let _ = writeln!(
                tests,
                "    @Test\n    public void sum{method}() {{\n        assertEquals({}, Unit{class}.sum{method}(new int[] {{1, {bound}, 9000}}));\n    }}\n",
                method + 1 + bound
            );
            let _ = writeln!(
                tests,
                "    @Test\n    public void clamp{method}() {{\n        assertEquals(-{bound}, Unit{class}.clamp{method}(-9000));\n        assertEquals({bound}, Unit{class}.clamp{method}(9000));\n        assertEquals(0, Unit{class}.clamp{method}(0));\n    }}\n"
            );
            let _ = writeln!(
                tests,
                "    @Test\n    public void digits{method}() {{\n        assertEquals(4, Unit{class}.digits{method}(1234).size());\n    }}\n"
            );
        }
        code.push_str("}\n");
        tests.push_str("}\n");
        made.tests += METHODS * 3;
        let file = format!("src/main/java/{}/Unit{class}.java", package.replace('.', "/"));
        write(folder, &file, &code, &mut made);
        write(
            folder,
            &format!("src/test/java/{}/Unit{class}Test.java", package.replace('.', "/")),
            &tests,
            &mut made,
        );
        if class == classes / 2 {
            made.buggy = file;
        }
    }
    made
}

/// The same in Python, with tests by unittest.
pub fn python(folder: &Path, modules: usize) -> Made {
    let mut made = Made { lines: 0, tests: 0, buggy: String::new() };
    for package in ["made", "tests"] {
        write(folder, &format!("{package}/__init__.py"), "", &mut made);
    }
    for module in 0..modules {
        let below = module.checked_sub(1);
        let (mut code, mut tests) = (String::from("\"\"\"Sums and bounds.\"\"\"\n"), String::new());
        if let Some(below) = below {
            let _ = writeln!(code, "\nfrom made import unit{below} as below");
        }
        let _ = writeln!(
            tests,
            "import unittest\n\nfrom made import unit{module} as unit\n\n\nclass Unit{module}Test(unittest.TestCase):"
        );
        for method in 0..METHODS {
            let bug = module == modules / 2 && method == 3;
            let (bound, sign) = (module + method + 5, if bug { ">" } else { "<" });
            let _ = writeln!(
                code,
                "\n\ndef sum{method}(values):\n    \"\"\"The sum of the values up to a bound.\"\"\"\n    result = {method}\n    for value in values:\n        if value <= {bound}:\n            result += value\n    return result"
            );
            let _ = writeln!(
                code,
                "\n\ndef clamp{method}(value):\n    \"\"\"The value, held between bounds.\"\"\"\n    low = -{bound}\n    high = {bound}\n    if value {sign} low:\n        return low\n    return high if value > high else value"
            );
            let _ = writeln!(
                code,
                "\n\ndef digits{method}(number):\n    \"\"\"The digits of a number.\"\"\"\n    digits = []\n    rest = number + {method}\n    while rest > 0:\n        digits.insert(0, rest % 10)\n        rest //= 10\n    return digits"
            );
            let chain = below.map_or_else(|| "value".to_owned(), |_| format!("below.clamp{method}(value)"));
            let _ = writeln!(
                code,
                "\n\ndef through{method}(value):\n    \"\"\"Through the module below.\"\"\"\n    return {chain} + clamp{method}(value)"
            );
            let _ = writeln!(
                tests,
                "    def test_sum{method}(self):\n        self.assertEqual(unit.sum{method}([1, {bound}, 9000]), {})\n",
                method + 1 + bound
            );
            let _ = writeln!(
                tests,
                "    def test_clamp{method}(self):\n        self.assertEqual(unit.clamp{method}(-9000), -{bound})\n        self.assertEqual(unit.clamp{method}(9000), {bound})\n        self.assertEqual(unit.clamp{method}(0), 0)\n"
            );
            let _ = writeln!(
                tests,
                "    def test_digits{method}(self):\n        self.assertEqual(len(unit.digits{method}(1234)), 4)\n"
            );
        }
        made.tests += METHODS * 3;
        let file = format!("made/unit{module}.py");
        write(folder, &file, &code, &mut made);
        write(folder, &format!("tests/test_unit{module}.py"), &tests, &mut made);
        if module == modules / 2 {
            made.buggy = file;
        }
    }
    made
}

fn write(folder: &Path, name: &str, text: &str, made: &mut Made) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    made.lines += text.lines().count();
}
