// A library that will not be there when missing_dependency.cc needs it.
__attribute__((visibility("default"))) int absent_answer() { return 42; }
