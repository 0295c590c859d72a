/** A request, as it is sent to the sandbox and to the model. */
export interface FuzzRequest {
  readonly method: string
  /** The path and the query, normalized as in a URL. */
  readonly target: string
  /** The headers with names in lower case. A name may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body?: Uint8Array
}

/** The value of a header. The values of a repeated header are joined (RFC 9110, section 5.3). */
export function headerOf({ headers }: FuzzRequest, name: string): string | undefined {
  const values = headers.filter(([one]) => one === name).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ').trim()
}

/** Parses a query as form data: `+` is a space, and an invalid percent-encoding is kept. */
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
  for (const [part] of text.replaceAll('+', ' ').matchAll(/%[\da-f]{2}|./gisu)) {
    if (part.length === 3) bytes.push(Number.parseInt(part.slice(1), 16))
    else bytes.push(...Buffer.from(part))
  }
  return Buffer.from(bytes).toString()
}

/** The request as a curl command, to reproduce it in a shell. */
export function toCurl({ method, target, headers, body }: FuzzRequest, origin: string): string {
  const options = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  if (body?.length) options.push(`--data-binary ${quotedBytes(body)}`)

  return ['curl', '-sS', '-i', '-X', quoted(method), ...options, quoted(origin + target)].join(' ')
}

function quoted(text: string): string {
  return /^[\w:/.-]+$/.test(text) ? text : quotedBytes(Buffer.from(text, 'latin1'))
}

/** ANSI-C quoting, which supports every byte except null. */
function quotedBytes(bytes: Uint8Array): string {
  const maxLength = 2000
  const text = [...bytes.subarray(0, maxLength)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  const cut = bytes.length > maxLength ? ` # and ${bytes.length - maxLength} more bytes` : ''
  return `$'${text.join('')}'${cut}`
}
