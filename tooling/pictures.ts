import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { animate, type Frame } from './animation';

/** Where `npm run screenshots` saves pictures; an ordinary run takes none. */
const DOCUMENTS = process.env.PAYROLL_PAYMENTS_WRITE;

/** The file of a picture in the documents, or undefined if none is wanted. */
export function pictureFile(name: string): string | undefined {
	if (DOCUMENTS === undefined) return undefined;
	const file = path.join(DOCUMENTS, 'screenshots', `${name}.png`);
	mkdirSync(path.dirname(file), { recursive: true });
	return file;
}

const OPENING_MILLISECONDS = 2_500;

/** Pictures of what happens, which become an animated one. */
export class Film {
	private readonly file: string | undefined;
	private readonly frames: Frame[] = [];

	constructor(
		name: string,
		private readonly takeFrame: () => Promise<Buffer>,
	) {
		this.file = pictureFile(name);
	}

	async hold(milliseconds: number): Promise<void> {
		if (this.file === undefined) return;
		const png = await this.takeFrame();
		const last = this.frames.at(-1);
		if (last?.png.equals(png) === true) last.milliseconds += milliseconds;
		else this.frames.push({ png, milliseconds });
	}

	async until(event: Promise<unknown>, frameMilliseconds = 120): Promise<void> {
		let happened = false;
		const happens = event.then(() => {
			happened = true;
		});
		while (this.file !== undefined && !happened) await this.hold(frameMilliseconds);
		await happens;
	}

	/** Saves the film, which opens with its end: a reader who doesn't wait sees what comes of it. */
	save(): void {
		const end = this.frames.at(-1);
		if (this.file === undefined || end === undefined) return;
		writeFileSync(
			this.file,
			animate([{ ...end, milliseconds: OPENING_MILLISECONDS }, ...this.frames]),
		);
	}
}
