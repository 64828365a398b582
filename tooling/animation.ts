import { crc32 } from 'node:zlib';

/** A PNG, and how long an animation shows it. */
export interface Frame {
	readonly png: Buffer;
	milliseconds: number;
}

export const SIGNATURE_LENGTH = 8;

/** What a chunk has in addition to its data: the length, the type and the checksum. */
const CHUNK_OVERHEAD = 12;

export function chunk(type: string, data: Buffer): Buffer {
	const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	return Buffer.concat([uint32(data.length), typed, uint32(crc32(typed))]);
}

export function uint32(...values: number[]): Buffer {
	const bytes = Buffer.alloc(4 * values.length);
	values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
	return bytes;
}

/** The data of a PNG's chunks of one type. */
function chunksOf(png: Buffer, type: string): Buffer[] {
	const found: Buffer[] = [];
	let start = SIGNATURE_LENGTH;
	while (start < png.length) {
		const length = png.readUInt32BE(start);
		const data = png.subarray(start + 8, start + 8 + length);
		if (png.toString('latin1', start + 4, start + 8) === type) found.push(data);
		start += CHUNK_OVERHEAD + length;
	}
	return found;
}

/**
 * Joins pictures of the same size into an endless APNG (PNG specification, third edition): the
 * data of each is taken over as it is.
 */
export function animate(frames: readonly Frame[]): Buffer {
	const [first] = frames;
	if (first === undefined) throw new Error('An animation needs a frame.');
	const header = Buffer.concat(chunksOf(first.png, 'IHDR'));
	let sequence = 0;
	const parts = frames.flatMap(({ png, milliseconds }, index) => {
		if (!Buffer.concat(chunksOf(png, 'IHDR')).equals(header)) {
			throw new Error('All frames need the same size and colors.');
		}
		const control = Buffer.concat([
			uint32(sequence++),
			header.subarray(0, 8),
			uint32(0, 0),
			// The delay in thousandths of a second; the frame replaces the one before.
			Buffer.from([milliseconds >> 8, milliseconds & 255, 1000 >> 8, 1000 & 255, 0, 0]),
		]);
		const data = chunksOf(png, 'IDAT').map((each) =>
			index === 0 ? chunk('IDAT', each) : chunk('fdAT', Buffer.concat([uint32(sequence++), each])),
		);
		return [chunk('fcTL', control), ...data];
	});
	return Buffer.concat([
		first.png.subarray(0, SIGNATURE_LENGTH),
		chunk('IHDR', header),
		chunk('acTL', uint32(frames.length, 0)),
		...parts,
		chunk('IEND', Buffer.alloc(0)),
	]);
}
