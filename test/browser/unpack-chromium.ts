/** Unpacks the browser of `@sparticuz/chromium` into the folder that TMPDIR names. Run by `chromium.ts`. */
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
