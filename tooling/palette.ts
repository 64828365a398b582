import { deflateSync } from 'node:zlib';

import type { Page } from 'playwright-core';

import { chunk, SIGNATURE_LENGTH, uint32 } from './animation';

const MOST_COLORS = 256;

/** Up to this distance, nobody sees that two colors differ. */
const SAME = 60;

/** The colors of a PNG, as the browser decodes it. */
async function colorsOf(page: Page, png: Buffer) {
	return await page.evaluate<{ width: number; height: number; colors: Uint32Array }>(`(async () => {
		const image = Object.assign(new Image(), { src: 'data:image/png;base64,${png.toString('base64')}' });
		await image.decode();
		const { width, height } = image;
		const context = new OffscreenCanvas(width, height).getContext('2d');
		context.drawImage(image, 0, 0);
		const { data } = context.getImageData(0, 0, width, height);
		const color = (_, at) => (data[4 * at] << 16) + (data[4 * at + 1] << 8) + data[4 * at + 2];
		return { width, height, colors: Uint32Array.from({ length: width * height }, color) };
	})()`);
}

function distance(one: number, other: number): number {
	const red = (one >> 16) - (other >> 16);
	const green = ((one >> 8) & 255) - ((other >> 8) & 255);
	const blue = (one & 255) - (other & 255);
	return red * red + green * green + blue * blue;
}

/** The same picture with a palette of its most frequent colors, which takes less than half the bytes. */
export async function withPalette(page: Page, png: Buffer): Promise<Buffer> {
	const { width, height, colors } = await colorsOf(page, png);
	const counts = new Map<number, number>();
	for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
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
