import type { AccessRules } from '../access/authorize.ts'
import { unlimitedRate } from '../access/quota.ts'
import { createScheme, type Scheme, type SecurityScheme } from '../access/security-scheme.ts'
import type { QuotaHeader } from '../contract/hints.ts'
import type { RateLimit, WriteQuota } from '../http/response-headers.ts'
import type { Settings } from './settings.ts'

/** How contracts that do not say it expect credentials. */
const BEARER: readonly SecurityScheme[] = [{ name: 'bearer', type: 'bearer' }]

/** Parameters of OAuth 2 that are secret in every URL. */
const SECRET_PARAMETERS = ['access_token', 'client_secret', 'refresh_token']

const QUOTA_HEADER = /^x-ratelimit-(limit|remaining|reset)$/i

/** Where credentials with a name of their own are sent. */
type CredentialPart = 'header' | 'parameter' | 'cookie'

/** What a service does with credentials and quotas, by its document and the settings. */
export class ServiceAccess {
  /** The figures of the quota headers where no quota applies; absent when the document does not declare these headers. */
  readonly declaredRate: ((now: number) => RateLimit) | undefined
  /** Writes the headers that the document has for quotas; absent for the usual ones. */
  readonly writeQuota: WriteQuota | undefined
  readonly rules: AccessRules
  readonly #names: Readonly<Record<CredentialPart, readonly string[]>>

  constructor({ auth, ban, contract }: Settings) {
    const { title: realm, sandbox, securitySchemes = BEARER, responseHeaders } = contract
    // Without required credentials, callers are still told apart as the document says.
    const mode = auth === 'off' ? sandbox?.auth : auth
    const accepts = mode && mode !== 'off' ? mode : 'any'
    const schemes = securitySchemes.flatMap(createScheme)
    const namesOf = (part: CredentialPart): readonly string[] =>
      schemes.flatMap((scheme: Scheme) => scheme[part] ?? [])
    this.#names = {
      header: namesOf('header'),
      parameter: [...namesOf('parameter'), ...(contract.signIn ? SECRET_PARAMETERS : [])],
      cookie: namesOf('cookie'),
    }
    this.rules = { isRequired: auth !== 'off', accepts, schemes, realm, ban }
    const declaresQuota = responseHeaders?.some((name) => QUOTA_HEADER.test(name))
    this.declaredRate = declaresQuota || contract.quotaHeaders ? unlimitedRate : undefined
    this.writeQuota = contract.quotaHeaders && createQuotaWriter(contract.quotaHeaders)
  }

  /** The headers, query parameters or cookies that contain credentials. */
  namesOf(part: CredentialPart): readonly string[] {
    return this.#names[part]
  }
}

/** Writes the figures of a quota into the headers that a document has for them. */
function createQuotaWriter(headers: readonly QuotaHeader[]): WriteQuota {
  return (rateLimit, now) =>
    Object.fromEntries(headers.map((header) => [header.name, figureText(header, rateLimit, now)]))
}

function figureText(
  { figure, unit }: QuotaHeader,
  { limit, remaining, reset }: RateLimit,
  now: number,
): string {
  if (figure === 'limit') return String(limit)
  if (figure === 'remaining') return String(remaining)
  if (figure === 'used') return String(limit - remaining)
  if (unit === 'date-time') return new Date(reset).toISOString()
  if (unit === 'epoch-milliseconds') return String(reset)

  return String(unit === 'seconds' ? Math.max(0, Math.ceil((reset - now) / 1000)) : reset / 1000)
}
