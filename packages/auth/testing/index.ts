export { createProofMaker, type ProofMaker } from './proof-maker.ts';
export { createSelfSignedCertificate } from './self-signed-certificate.ts';
export { createSoftwareAuthenticator } from './software-authenticator.ts';
export { type Page, TestBrowser } from './test-browser.ts';
