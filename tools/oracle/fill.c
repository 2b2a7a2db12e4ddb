/* Chooses what is written where a table may say anything, so that as little as possible changes from code to code.
 *
 * Reads codes of solve.c from the standard input and writes as many to the standard output. Whoever asks the tables
 * follows captures first, so nobody looks at the code of a position that a capture wins, and where a capture draws a
 * code only has to say that nothing wins. The longest stretches that one code fits are found from the left on, which
 * makes them the fewest.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DRAW = 0, WON_BY_CAPTURE = 2, LOOSE = 254, LONGEST = 1 << 16 };

static uint8_t codes[LONGEST];

static int fits(int code, int wanted) {
    if (wanted == WON_BY_CAPTURE) return 1;
    return wanted == LOOSE ? code == DRAW || (code & 1) : code == wanted;
}

/* One code for all of a stretch: what is exact decides, a draw if nothing does. */
static void fill(int from, int to, int code) { memset(codes + from, code, to - from); }

int main(void) {
    size_t length;
    int last = DRAW;
    while ((length = fread(codes, 1, sizeof codes, stdin))) {
        int from = 0, code = -1, loose = 0; /* the code of the stretch, if anything in it is exact */
        for (int at = 0; at < (int)length; at++) {
            int wanted = codes[at];
            if (wanted == WON_BY_CAPTURE || (code >= 0 && fits(code, wanted))) continue;
            if (wanted == LOOSE && code < 0) {
                loose = 1;
            } else if (wanted != LOOSE && code < 0 && (!loose || wanted == DRAW || (wanted & 1))) {
                code = wanted;
            } else {
                fill(from, at, code >= 0 ? code : DRAW);
                from = at;
                loose = wanted == LOOSE;
                code = loose ? -1 : wanted;
            }
        }
        if (code < 0) code = loose && !fits(last, LOOSE) ? DRAW : last;
        fill(from, length, code);
        last = code;
        fwrite(codes, 1, length, stdout);
    }
    return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
