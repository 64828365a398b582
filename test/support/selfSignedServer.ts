import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:https';

import { listen } from './httpServer';

/* The key of both certificates: Ed25519 in PKCS #8, made of 32 times the byte 1. Each is for localhost, to 2049. */
const key = createPrivateKey({
	key: Buffer.from(`302e020100300506032b657004220420${'01'.repeat(32)}`, 'hex'),
	...{ format: 'der', type: 'pkcs8' },
}).export({ format: 'pem', type: 'pkcs8' });

const SELF_SIGNED = `-----BEGIN CERTIFICATE-----
MIIA1TCCAIegAwIBAgIBATAFBgMrZXAwFDESMBAGA1UEAwwJbG9jYWxob3N0MB4X
DTIwMDEwMTAwMDAwMFoXDTQ5MTIzMTIzNTk1OVowFDESMBAGA1UEAwwJbG9jYWxo
b3N0MCowBQYDK2VwAyEAiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1ww
BQYDK2VwA0EAnb8hcy5RXI0oTJn1Xe55u9oxl3hE1ruzSbF3jkjl/tvdga/LwUlx
LAoOtGDIssMt+lNfGCWVQ7IsO/B5a41lAw==
-----END CERTIFICATE-----`;

const OF_A_COMPANY = `-----BEGIN CERTIFICATE-----
MIIA2DCCAIqgAwIBAgIBATAFBgMrZXAwFzEVMBMGA1UEAwwMQ29tcGFueSBSb290
MB4XDTIwMDEwMTAwMDAwMFoXDTQ5MTIzMTIzNTk1OVowFDESMBAGA1UEAwwJbG9j
YWxob3N0MCowBQYDK2VwAyEAiojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQP
b1wwBQYDK2VwA0EAra2J6bEFTBVJtI9jgKH1XKJHXz8R64eZQjZjdu1mK8MRrqVW
ODQXQnXXoRAf228Uezej2IqCE1gnMUhvK07HCw==
-----END CERTIFICATE-----`;

/** An HTTPS server with a self-signed certificate; counts its requests. */
export const startSelfSignedServer = async () => await startServer(SELF_SIGNED);

/** The same with a certificate from a company's authority, whose root this machine doesn't know. */
export const startPrivateAuthorityServer = async () => await startServer(OF_A_COMPANY);

async function startServer(cert: string) {
	let requests = 0;
	const server = createServer({ cert, key }, (_request, response) => {
		requests += 1;
		response.end('{}');
	});
	const { port } = await listen(server);
	return { port, requests: () => requests };
}
