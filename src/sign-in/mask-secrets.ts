import type { CoreRequest, CoreResponse } from '../http/message.ts'

/** The parameters and members that nobody may read in a journal or a log. */
const SECRET =
  /^(access_token|refresh_token|id_token|id_token_hint|token|code|code_verifier|device_code|user_code|client_secret|client_assertion|assertion|password|passwd|secret|accesstoken|refreshtoken|idtoken|authtoken|auth_token|jwt|session_?token|api_?key)$/i

const MASK = '…'

/** A request to an endpoint as the journal keeps it: without codes, tokens and secrets in its query. */
export function maskedRequest(request: CoreRequest): CoreRequest {
  return { ...request, query: maskedForm(request.query) }
}

/** A body, or the text of one, without codes, tokens and secrets. */
export function maskedBody(body: Uint8Array | undefined): Uint8Array | undefined {
  if (!body || body.length === 0) return body
  return new TextEncoder().encode(maskedText(new TextDecoder().decode(body)))
}

/** A response as the journal keeps it: without tokens, the code in its address and the cookie. */
export function maskedResponse(response: CoreResponse): CoreResponse {
  const { headers, body } = response
  const { Location: location, 'Set-Cookie': cookie } = headers
  return {
    ...response,
    headers: {
      ...headers,
      ...(location !== undefined && { Location: maskedUrl(location) }),
      ...(cookie !== undefined && { 'Set-Cookie': cookie.replace(/=[^;]*/, `=${MASK}`) }),
    },
    body: typeof body === 'string' ? maskedText(body) : body,
  }
}

function maskedText(text: string): string {
  const isJson = /^\s*[[{]/.test(text)
  if (isJson) {
    try {
      return JSON.stringify(maskedValue(JSON.parse(text)))
    } catch {
      return MASK
    }
  }
  // A page has codes and tokens in hidden fields only.
  if (/^\s*</.test(text)) {
    return text.replace(/(<input [^>]*name="([^"]*)" value=")([^"]*)"/g, (all, start, name) =>
      SECRET.test(name) ? `${start}${MASK}"` : all,
    )
  }
  return maskedForm(text)
}

function maskedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskedValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && SECRET.test(name) ? MASK : maskedValue(member),
    ]),
  )
}

function maskedForm(text: string): string {
  return text
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      return SECRET.test(decoded(name)) && pair.includes('=') ? `${name}=${MASK}` : pair
    })
    .join('&')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function maskedUrl(text: string): string {
  const [rest = '', fragment] = text.split('#', 2)
  const at = rest.indexOf('?')
  const address = at === -1 ? rest : `${rest.slice(0, at)}?${maskedForm(rest.slice(at + 1))}`
  return fragment === undefined ? address : `${address}#${maskedForm(fragment)}`
}
