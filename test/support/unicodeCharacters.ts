import fc from 'fast-check';

/* fast-check's own units `binary` and `grapheme` take over a second to set up in every test file. */

/** One Unicode character that any encoder can encode. */
export const wellFormedCharacter = fc
	.oneof(
		{ weight: 2, arbitrary: fc.integer({ min: 0, max: 0xff }) },
		fc.integer({ min: 0, max: 0xd7ff }),
		fc.integer({ min: 0xe000, max: 0x10ffff }),
	)
	.map((codePoint) => String.fromCodePoint(codePoint));

/** One Unicode character, or half of one: a lone surrogate. */
export const anyCharacter = fc.oneof(
	{ weight: 9, arbitrary: wellFormedCharacter },
	fc.integer({ min: 0xd800, max: 0xdfff }).map((codeUnit) => String.fromCharCode(codeUnit)),
);
