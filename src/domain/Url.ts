/**
 * The URL that a text is by the URL Standard, if it is one. `URL.canParse` is not asked: from some 4,000 calls on, when V8
 * has compiled its caller, that of Node 20 reads letters like "é" as broken bytes and refuses what it let pass before.
 */
export const parseUrl = (text: string): URL | undefined => {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/** Tests for a host, with or without a port, that always is the client's own machine. */
export const isLoopbackHost = (host: string): boolean =>
  LOOPBACK_HOST.test(host) && parseUrl(`http://${host}`) !== undefined
