interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface Page {
  readonly status: number;
  /** Where it sends the browser, made absolute. */
  readonly location: URL | undefined;
  readonly headers: Headers;
  readonly body: string;
}

/** Keeps cookies by name and path as a browser does, and follows nothing by itself. */
export class TestBrowser {
  readonly cookies = new Map<string, Cookie>();
  /** Every `Set-Cookie` that came, as it came. */
  readonly setCookies: string[] = [];

  async go(address: string | URL, init: RequestInit = {}): Promise<Page> {
    const url = new URL(address);
    const headers = new Headers(init.headers);
    const sent = [...this.cookies.values()].filter(({ path }) => isBelow(url.pathname, path));
    if (sent.length > 0) headers.set('cookie', sent.map(({ name, value }) => `${name}=${value}`).join('; '));
    headers.set('accept', headers.get('accept') ?? 'text/html');
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? undefined : new URL(location, url),
      headers: response.headers,
      body: await response.text(),
    };
  }

  #keep(line: string): void {
    this.setCookies.push(line);
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const [name = '', value = ''] = pair.split('=', 2);
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    const key = `${name} ${path}`;
    if (value === '' || attributes.includes('expires=Thu, 01 Jan 1970 00:00:00 GMT'))
      this.cookies.delete(key);
    else this.cookies.set(key, { name, value, path });
  }
}

/** RFC 6265, section 5.1.4. */
function isBelow(path: string, cookiePath: string): boolean {
  if (path === cookiePath) return true;
  return path.startsWith(cookiePath.endsWith('/') ? cookiePath : `${cookiePath}/`);
}
