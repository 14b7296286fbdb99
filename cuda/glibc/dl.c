#define STUB(name) void name(void) {}
STUB(dlclose)
STUB(dlerror)
STUB(dlmopen)
STUB(dlopen)
STUB(dlsym)
STUB(dlvsym)
