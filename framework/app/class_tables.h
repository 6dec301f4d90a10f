#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "framework/eval/class_table.h"

// What `kinema eval` shows of single classes.
namespace kinema::app {

// A list with an object a class; ratios of nothing are null.
nlohmann::ordered_json per_class_json(const eval::ClassTable& table);
// {"classes": names, "matrix": rows of the true classes, columns of the predicted ones}.
nlohmann::ordered_json confusion_json(const eval::ClassTable& table);

// The table on stdout. Throws Error(data) where no item had a class.
void print_per_class(const eval::ClassTable& table);

// Throws Error(usage) for an ending that says no format.
void check_confusion_file(const std::string& path);
// As .csv or .json. Throws Error(data) where no item had a label, Error(run) when it cannot be written.
void write_confusion(const std::string& path, const eval::ClassTable& table);

}  // namespace kinema::app
