import { parsePointer } from '../contract/schema.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'

/** The parameters and members that nobody may read in a journal or a log. */
const SECRET =
  /^(access_token|refresh_token|id_token|id_token_hint|token|code|code_verifier|device_code|user_code|client_secret|client_assertion|assertion|password|passwd|secret|accesstoken|refreshtoken|idtoken|authtoken|auth_token|jwt|session_?token|api_?key)$/i

const MASK = '…'

/** Whether a parameter or a member is a secret: by its usual name, or because the document calls one so. */
type IsSecret = (name: string) => boolean

const isUsual: IsSecret = (name) => SECRET.test(name)

/** A request to an endpoint as the journal keeps it: without codes, tokens and secrets in its query. */
export function maskedRequest(request: CoreRequest): CoreRequest {
  return { ...request, query: maskedForm(request.query) }
}

/** A body, or the text of one, without codes, tokens and secrets. */
export function maskedBody(
  body: Uint8Array | undefined,
  isSecret: IsSecret = isUsual,
): Uint8Array | undefined {
  if (!body || body.length === 0) return body
  return new TextEncoder().encode(maskedText(new TextDecoder().decode(body), isSecret))
}

/** A response as the journal keeps it: without tokens, the code in its address and the cookie. */
export function maskedResponse(response: CoreResponse, isSecret: IsSecret = isUsual): CoreResponse {
  const { headers, body } = response
  const { Location: location, 'Set-Cookie': cookie } = headers
  return {
    ...response,
    headers: {
      ...headers,
      ...(location !== undefined && { Location: maskedUrl(location) }),
      ...(cookie !== undefined && { 'Set-Cookie': cookie.replace(/=[^;]*/, `=${MASK}`) }),
    },
    body: typeof body === 'string' ? maskedText(body, isSecret) : body,
  }
}

function maskedText(text: string, isSecret: IsSecret): string {
  const isJson = /^\s*[[{]/.test(text)
  if (isJson) {
    try {
      return JSON.stringify(maskedValue(JSON.parse(text), isSecret))
    } catch {
      return MASK
    }
  }
  // A page has codes and tokens in hidden fields only.
  if (/^\s*</.test(text)) {
    return text.replace(/(<input [^>]*name="([^"]*)" value=")([^"]*)"/g, (all, start, name) =>
      isSecret(name) ? `${start}${MASK}"` : all,
    )
  }
  return maskedForm(text, isSecret)
}

function maskedValue(value: unknown, isSecret: IsSecret): unknown {
  if (Array.isArray(value)) return value.map((one) => maskedValue(one, isSecret))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecret(name) ? maskedTexts(member, isSecret) : maskedValue(member, isSecret),
    ]),
  )
}

/** A secret, or several of them. */
function maskedTexts(value: unknown, isSecret: IsSecret): unknown {
  if (typeof value === 'string') return MASK
  return Array.isArray(value)
    ? value.map((one) => maskedTexts(one, isSecret))
    : maskedValue(value, isSecret)
}

function maskedForm(text: string, isSecret: IsSecret = isUsual): string {
  return text
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      return isSecret(lastPart(decoded(name))) && pair.includes('=') ? `${name}=${MASK}` : pair
    })
    .join('&')
}

/** `secret` of `config[secret]`. */
function lastPart(name: string): string {
  return /\[([^[\]]+)\]$/.exec(name)?.[1] ?? name
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

/** An exchange with a subscription as the journal keeps it: without the secret with which deliveries are signed, which is at this place. */
export function withoutSecretAt(
  place: string,
  { response, body }: { readonly response: CoreResponse; readonly body?: Uint8Array | undefined },
): { readonly response: CoreResponse; readonly body: Uint8Array | undefined } {
  const name = parsePointer(place).at(-1)
  const isSecret: IsSecret = (one) => one === name
  return { response: maskedResponse(response, isSecret), body: maskedBody(body, isSecret) }
}
