/** A request as it is sent, and as the model judges it. */
export interface FuzzRequest {
  readonly method: string
  /** Path and query, as an address normalises them. */
  readonly target: string
  /** Names in lower case; one may stand several times. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: Uint8Array
}

/** A header's value, those of a repeated one joined (RFC 9110, section 5.3). */
export function headerOf({ headers }: FuzzRequest, name: string): string | undefined {
  const values = headers.filter(([one]) => one === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ').trim()
}

/** The query's parameters, as forms are read: `+` is a space, and what is no escape stays as it is. */
export function parametersOf(query: string): Map<string, string[]> {
  const parameters = new Map<string, string[]>()
  for (const pair of query.split('&').filter(Boolean)) {
    const [name = '', ...value] = pair.split('=')
    const list = parameters.get(unescaped(name)) ?? []
    parameters.set(unescaped(name), [...list, unescaped(value.join('='))])
  }
  return parameters
}

function unescaped(text: string): string {
  const bytes: number[] = []
  for (const [piece] of text.replaceAll('+', ' ').matchAll(/%[\da-f]{2}|./gisu)) {
    if (piece.length === 3) bytes.push(Number.parseInt(piece.slice(1), 16))
    else bytes.push(...Buffer.from(piece))
  }
  return Buffer.from(bytes).toString()
}

/** The request as a command for a shell, to be tried by hand. */
export function toCurl({ method, target, headers, body }: FuzzRequest, origin: string): string {
  const options = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  if (body?.length) options.push(`--data-binary ${quotedBytes(body)}`)

  return ['curl', '-sS', '-i', '-X', quoted(method), ...options, quoted(origin + target)].join(' ')
}

function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : quotedBytes(Buffer.from(text, 'latin1'))
}

/** ANSI-C quoting, which carries any byte but zero. */
function quotedBytes(bytes: Uint8Array): string {
  const most = 2000
  const text = [...bytes.subarray(0, most)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  const cut = bytes.length > most ? ` # and ${bytes.length - most} bytes more` : ''
  return `$'${text.join('')}'${cut}`
}
