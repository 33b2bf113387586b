/// Moves all code that is linked behind it.
#define WIRELAB_TEXT(bytes) #bytes
#define WIRELAB_SPACE(bytes) ".text\n.space " WIRELAB_TEXT(bytes) ", 0xcc\n"

asm(WIRELAB_SPACE(WIRELAB_PADDING));
