import { deflateSync, inflateSync } from 'node:zlib';

import { chunk, chunksOf, SIGNATURE_LENGTH, uint32 } from './animation';

const MOST_COLORS = 256;

/** Up to this distance, nobody sees that two colors differ. */
const SAME = 60;

/** The pixels of a PNG as the browser writes it: three or four bytes each, in one piece. */
function pixelsOf(png: Buffer) {
	const header = Buffer.concat(chunksOf(png, 'IHDR'));
	const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
	const size = header[9] === 6 ? 4 : 3;
	const filtered = inflateSync(Buffer.concat(chunksOf(png, 'IDAT')));
	const stride = width * size;
	const bytes = Buffer.alloc(stride * height);
	for (let y = 0; y < height; y++) {
		const filter = filtered[y * (stride + 1)];
		for (let x = 0; x < stride; x++) {
			const at = y * stride + x;
			const left = x < size ? 0 : (bytes[at - size] ?? 0);
			const above = y === 0 ? 0 : (bytes[at - stride] ?? 0);
			const corner = x < size || y === 0 ? 0 : (bytes[at - stride - size] ?? 0);
			const change = filtered[y * (stride + 1) + 1 + x] ?? 0;
			bytes[at] = change + guess(filter, left, above, corner);
		}
	}
	return { width, height, size, bytes };
}

/** What a byte is expected to be, by the filters of the PNG specification. */
function guess(filter: number | undefined, left: number, above: number, corner: number): number {
	if (filter === undefined || filter === 0) return 0;
	if (filter === 1) return left;
	if (filter === 2) return above;
	if (filter === 3) return (left + above) >> 1;
	const toLeft = Math.abs(above - corner);
	const toAbove = Math.abs(left - corner);
	const toCorner = Math.abs(left + above - 2 * corner);
	if (toLeft <= toAbove && toLeft <= toCorner) return left;
	return toAbove <= toCorner ? above : corner;
}

function distance(one: number, other: number): number {
	const red = (one >> 16) - (other >> 16);
	const green = ((one >> 8) & 255) - ((other >> 8) & 255);
	const blue = (one & 255) - (other & 255);
	return red * red + green * green + blue * blue;
}

/** The same picture with a palette of its most frequent colors, which takes less than half the bytes. */
export function withPalette(png: Buffer): Buffer {
	const { width, height, size, bytes } = pixelsOf(png);
	const colors = new Uint32Array(width * height);
	const counts = new Map<number, number>();
	for (let pixel = 0; pixel < colors.length; pixel++) {
		const color = bytes.readUIntBE(pixel * size, 3);
		colors[pixel] = color;
		counts.set(color, (counts.get(color) ?? 0) + 1);
	}
	const frequent = [...counts].sort(([, one], [, other]) => other - one);
	const palette: number[] = [];
	for (const [color] of frequent) {
		if (palette.length === MOST_COLORS) break;
		if (palette.every((each) => distance(color, each) > SAME)) palette.push(color);
	}
	const index = new Map(
		frequent.map(([color]) => {
			const best = palette.reduce((found, each) =>
				distance(color, each) < distance(color, found) ? each : found,
			);
			return [color, palette.indexOf(best)];
		}),
	);
	const rows = Buffer.alloc((width + 1) * height);
	colors.forEach((color, pixel) => {
		rows[pixel + Math.floor(pixel / width) + 1] = index.get(color) ?? 0;
	});
	return Buffer.concat([
		png.subarray(0, SIGNATURE_LENGTH),
		chunk('IHDR', Buffer.concat([uint32(width, height), Buffer.from([8, 3, 0, 0, 0])])),
		chunk('PLTE', Buffer.concat(palette.map((color) => uint32(color).subarray(1)))),
		chunk('IDAT', deflateSync(rows, { level: 9 })),
		chunk('IEND', Buffer.alloc(0)),
	]);
}
