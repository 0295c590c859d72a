import type { AccessRules } from '../access/authorize.ts'
import { unlimitedRate } from '../access/quota.ts'
import { bearerScheme, type Scheme, type SecurityScheme } from '../access/security-scheme.ts'
import type { Contract } from '../contract/contract.ts'
import type { RateLimit, WriteQuota } from '../http/response-headers.ts'
import type { Settings } from './settings.ts'

/** How contracts that do not say it expect credentials. */
const BEARER: readonly SecurityScheme[] = [{ name: 'bearer', type: 'bearer' }]

const QUOTA_HEADER = /^x-ratelimit-(limit|remaining|reset)$/i

/** What a service does with credentials and quotas, by its document and the settings. */
export class ServiceAccess {
  /** Resolves when the security schemes are loaded; `undefined` when they are. */
  loading: Promise<void> | undefined
  /** The figures of the quota headers where no quota applies; absent when the document does not declare these headers. */
  readonly declaredRate: ((now: number) => RateLimit) | undefined
  /** Writes the headers that the document has for quotas; absent for the usual ones. */
  writeQuota: WriteQuota | undefined
  #rules: AccessRules

  constructor({ auth, ban, contract }: Settings) {
    const { title: realm, sandbox, securitySchemes = BEARER, responseHeaders } = contract
    // Without required credentials, callers are still told apart as the document says.
    const accepts = (auth === 'off' ? sandbox?.auth : auth) === 'keys' ? 'keys' : 'any'
    const schemes = securitySchemes.map(({ name }) => bearerScheme(name))
    this.#rules = { isRequired: auth !== 'off', accepts, schemes, realm, ban }
    const declaresQuota = responseHeaders?.some((name) => QUOTA_HEADER.test(name))
    this.declaredRate = declaresQuota || contract.quotaHeaders ? unlimitedRate : undefined
    if (contract.quotaHeaders || securitySchemes.some(({ type }) => type !== 'bearer'))
      this.loading = this.#load(contract, securitySchemes)
  }

  get rules(): AccessRules {
    return this.#rules
  }

  /** The headers, query parameters or cookies that contain credentials. */
  namesOf(part: 'header' | 'parameter' | 'cookie'): readonly string[] {
    return this.#rules.schemes.flatMap((scheme: Scheme) => scheme[part] ?? [])
  }

  async #load(
    { quotaHeaders }: Contract,
    securitySchemes: readonly SecurityScheme[],
  ): Promise<void> {
    const { createSchemes, createQuotaWriter } = await import('./declared-access.ts')
    this.#rules = { ...this.#rules, schemes: createSchemes(securitySchemes) }
    if (quotaHeaders) this.writeQuota = createQuotaWriter(quotaHeaders)
    this.loading = undefined
  }
}
