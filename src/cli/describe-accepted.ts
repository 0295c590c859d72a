import type { AuthMode, SecurityScheme } from '../access/security-scheme.ts'

/** What a sandbox accepts, in a sentence for people, such as `Accepted: any API key in the header X-Api-Key.` */
export function describeAccepted(auth: AuthMode, schemes: readonly SecurityScheme[]): string {
  if (auth === 'off' || schemes.length === 0) return 'No credentials are needed.'
  if (auth === 'keys') return 'Only API keys of the sandbox are accepted, and it has none yet.'
  return `Accepted: ${schemes.map((scheme) => `any ${kindOf(scheme)}`).join(', or ')}.`
}

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
