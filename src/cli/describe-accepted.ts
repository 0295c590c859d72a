import type { AuthMode, SecurityScheme } from '../access/security-scheme.ts'

/** What a sandbox accepts, in a sentence for people, such as `Accepted: any API key in the header X-Api-Key.` Each kind is named once. */
export function describeAccepted(auth: AuthMode, schemes: readonly SecurityScheme[]): string {
  if (auth === 'off' || schemes.length === 0) return 'No credentials are needed.'
  if (auth === 'keys') return 'Only API keys of the sandbox are accepted, and it has none yet.'
  const kinds = [...new Set(schemes.map((scheme) => `any ${kindOf(scheme)}`))]
  const more = kinds.length - MAX_KINDS
  const listed =
    more > 1 ? [...kinds.slice(0, MAX_KINDS), `${more} other kinds that the document names`] : kinds

  return `Accepted: ${listed.join(', or ')}.`
}

/** More would be a line that nobody reads. */
const MAX_KINDS = 3

const LOCATIONS = { header: 'header', query: 'query parameter', cookie: 'cookie' } as const

function kindOf(scheme: SecurityScheme): string {
  switch (scheme.type) {
    case 'bearer':
      return 'bearer token'
    case 'basic':
      return 'user name and password'
    case 'http':
      return `credentials in the header Authorization${scheme.scheme === '' ? '' : ` (${scheme.scheme})`}`
    case 'mutual-tls':
      return 'client certificate'
    default:
      return `API key in the ${LOCATIONS[scheme.type]} ${scheme.parameter}`
  }
}
