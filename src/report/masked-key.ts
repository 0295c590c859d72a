import { createScheme } from '../access/create-scheme.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { CoreRequest } from '../http/message.ts'
import { maskSecret } from '../journal/exchange.ts'
import { NO_KEY } from './report-entry.ts'

type SentRequest = Pick<CoreRequest, 'header' | 'query'>

/** The last characters of the API key of a request, by the security schemes of its operation, else by those of the contract. */
export function maskedKey(
  request: SentRequest,
  { securitySchemes = [] }: Pick<Contract, 'securitySchemes'>,
  operation: Pick<Operation, 'security'> | undefined,
): string {
  const names = operation?.security?.flat() ?? []
  const own = securitySchemes.filter(({ name }) => names.includes(name))
  for (const scheme of [...own, ...securitySchemes].flatMap(createScheme)) {
    const sent = scheme.read(request)
    if (sent !== undefined) return masked(sent)
  }
  return keyInAuthorization(request)
}

/** The query parameters that contain credentials. */
export function secretParameters({
  securitySchemes = [],
}: Pick<Contract, 'securitySchemes'>): readonly string[] {
  return securitySchemes.flatMap((scheme) => (scheme.type === 'query' ? scheme.parameter : []))
}

function keyInAuthorization({ header }: SentRequest): string {
  const sent = header('authorization')?.trim() ?? ''

  return sent === '' ? NO_KEY : masked(sent.replace(/^\S+\s+/, ''))
}

/** Some recorders have already masked the key. */
function masked(secret: string): string {
  return secret.startsWith('…') ? secret : maskSecret(secret)
}
