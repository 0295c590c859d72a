import { shorten } from '../checks/check.ts'
import type { ProbeRequest } from './messages.ts'
import { cookieHeader, outgoingRequest, type Target } from './outgoing-request.ts'

/** The environment variable that replaces the key in the output. */
export const KEY_VARIABLE = 'PET_SANDBOX_KEY'

/** The key in a command: a variable of the shell. */
const KEY_PLACEHOLDER = `\${${KEY_VARIABLE}}`

/** A longer body does not fit into a command line. */
const MAX_BODY_LENGTH = 2000

/** A `curl` command that sends the request, with the key in `$PET_SANDBOX_KEY`. */
export function curlCommand(request: ProbeRequest, target: Target): string {
  const { method, body } = request
  const outgoing = outgoingRequest(request, { ...target, key: KEY_PLACEHOLDER })
  const { url, headers, cookies, user } = outgoing
  const methodOptions: Record<string, string[]> = { GET: [], HEAD: ['-I'] }

  return [
    'curl',
    '-i',
    // A method of OpenAPI 3.2 may have characters that a shell interprets, such as `.
    ...(methodOptions[method] ?? ['-X', /^[A-Z]+$/.test(method) ? method : quote(method)]),
    ...(user === undefined
      ? []
      : [`-u ${quote(target.key.includes(':') ? user.replace(/:$/, '') : user)}`]),
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(cookies.length > 0 ? [`-b ${quote(cookieHeader(cookies))}`] : []),
    ...(body === undefined ? [] : ['--data-raw', quote(shorten(body, MAX_BODY_LENGTH))]),
    quote(url),
  ].join(' ')
}

/** The placeholder of the key, as it is and percent-encoded. */
const PLACEHOLDERS = [KEY_PLACEHOLDER, encodeURIComponent(KEY_PLACEHOLDER)]

/** The shell replaces a variable in double quotes only. */
function quote(text: string): string {
  if (PLACEHOLDERS.every((one) => !text.includes(one))) return `'${text.replaceAll("'", `'\\''`)}'`
  const quoted = text
    .replaceAll(encodeURIComponent(KEY_PLACEHOLDER), KEY_PLACEHOLDER)
    .split(KEY_PLACEHOLDER)
    .map((part) => part.replace(/[\\"$`]/g, '\\$&'))
    .join(KEY_PLACEHOLDER)

  return `"${quoted.replace(/\$\{(\w+)\}$/, '$$$1')}"`
}
