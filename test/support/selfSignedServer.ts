import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';

import { listen } from './httpServer';

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
const VERSION_3 = Buffer.from('a003020102', 'hex');

/** The extension with which a certificate may issue others (basic constraints). */
const MAY_ISSUE = Buffer.from('a310300e300c0603551d13040530030101ff', 'hex');

interface Authority {
	readonly name: string;
	readonly key: KeyObject;
}

/** An X.509 certificate that an authority signs, in PEM. */
function certificate(
	subject: string,
	publicKey: KeyObject,
	issuer: Authority,
	extensions: Uint8Array = Buffer.of(),
): string {
	const serial = Buffer.from('020101', 'hex');
	const named = (name: string) =>
		der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(name)))));
	const validity = der(
		SEQUENCE,
		...['200101000000Z', '491231235959Z'].map((time) => der(0x17, Buffer.from(time))),
	);
	const key = publicKey.export({ type: 'spki', format: 'der' });
	const content = der(
		SEQUENCE,
		...[VERSION_3, serial, ED25519, named(issuer.name), validity, named(subject), key, extensions],
	);
	const signature = der(BIT_STRING, NO_UNUSED_BITS, sign(null, content, issuer.key));
	const text = der(SEQUENCE, content, ED25519, signature).toString('base64');
	return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
}

/** An HTTPS server with a self-signed certificate; counts its requests. */
export async function startSelfSignedServer() {
	const { publicKey, privateKey } = generateKeyPairSync('ed25519');
	const cert = certificate('localhost', publicKey, { name: 'localhost', key: privateKey });
	return await startServer(cert, privateKey);
}

/** The same with a certificate from a company's authority, whose root this machine doesn't know. */
export async function startPrivateAuthorityServer() {
	const root = { name: 'Company Root', key: generateKeyPairSync('ed25519').privateKey };
	const issuing = generateKeyPairSync('ed25519');
	const { publicKey, privateKey } = generateKeyPairSync('ed25519');
	const name = 'Company Issuing';
	const chain =
		certificate('localhost', publicKey, { name, key: issuing.privateKey }) +
		certificate(name, issuing.publicKey, root, MAY_ISSUE);
	return await startServer(chain, privateKey);
}

async function startServer(cert: string, privateKey: KeyObject) {
	const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
	let requests = 0;
	const server = createServer({ cert, key }, (_request, response) => {
		requests += 1;
		response.end('{}');
	});
	const { port, stop: close } = await listen(server);
	return { port, requests: () => requests, close };
}
