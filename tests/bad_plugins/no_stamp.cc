// A shared library that has nothing to do with kinema.
extern "C" __attribute__((visibility("default"))) const void* kinema_plugin_v1() { return nullptr; }
