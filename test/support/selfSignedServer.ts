import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';

/** A DER value (X.690): tag, length and content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
	const body = Buffer.concat(content);
	const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const SEQUENCE = 0x30;
const SET = 0x31;
const BIT_STRING = 0x03;
const NO_UNUSED_BITS = Buffer.from([0]);
const ED25519 = der(SEQUENCE, Buffer.from('06032b6570', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/** A self-signed X.509 certificate for localhost, in PEM. */
function selfSigned(publicKey: KeyObject, privateKey: KeyObject): string {
	const serial = Buffer.from('020101', 'hex');
	const text = (value: string) => der(0x0c, Buffer.from(value));
	const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, text('localhost'))));
	const validity = der(
		SEQUENCE,
		...['200101000000Z', '491231235959Z'].map((time) => der(0x17, Buffer.from(time))),
	);
	const key = publicKey.export({ type: 'spki', format: 'der' });
	const content = der(SEQUENCE, serial, ED25519, name, validity, name, key);
	const signature = der(BIT_STRING, NO_UNUSED_BITS, sign(null, content, privateKey));
	const certificate = der(SEQUENCE, content, ED25519, signature).toString('base64');
	return `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`;
}

/** An HTTPS server with a self-signed certificate; counts its requests. */
export async function startSelfSignedServer() {
	const { publicKey, privateKey } = generateKeyPairSync('ed25519');
	const cert = selfSigned(publicKey, privateKey);
	const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
	let requests = 0;
	const server = createServer({ cert, key }, (_request, response) => {
		requests += 1;
		response.end('{}');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('no port');
	return {
		port: address.port,
		cert,
		requests: () => requests,
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
