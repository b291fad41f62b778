enum LoopbackServerPlaceholder {}
