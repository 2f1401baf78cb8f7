#include "word_list.h"

const unsigned char *bip39_english(void) {
    static const unsigned char text[] = {
#embed "english.txt"
        , 0};
    return text;
}
