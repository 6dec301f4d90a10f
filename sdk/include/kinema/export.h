#pragma once

// Marks what crosses a library border: everything else is compiled with hidden visibility.
#define KINEMA_API __attribute__((visibility("default")))
