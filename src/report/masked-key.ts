import { createScheme } from '../access/create-scheme.ts'
import type { Contract, Operation } from '../contract/contract.ts'
import type { CoreRequest } from '../http/message.ts'
import { maskSecret } from '../journal/exchange.ts'
import type { HarEntry } from './har-file.ts'
import { NO_KEY, type ReportEntry } from './report-entry.ts'

type SentRequest = Pick<CoreRequest, 'header' | 'query'>

/** The API key of a request, by the security schemes of its operation, else by those of the contract. */
export function sentKey(
  request: SentRequest,
  { securitySchemes = [] }: Pick<Contract, 'securitySchemes'>,
  operation: Pick<Operation, 'security'> | undefined,
): string | undefined {
  const names = operation?.security?.flat() ?? []
  const own = securitySchemes.filter(({ name }) => names.includes(name))
  for (const scheme of [...own, ...securitySchemes].flatMap(createScheme)) {
    const sent = scheme.read(request)
    if (sent !== undefined) return sent
  }
  return keyInAuthorization(request)
}

/** The query parameters that contain credentials. */
export function secretParameters({
  securitySchemes = [],
}: Pick<Contract, 'securitySchemes'>): readonly string[] {
  return securitySchemes.flatMap((scheme) => (scheme.type === 'query' ? scheme.parameter : []))
}

function keyInAuthorization({ header }: SentRequest): string | undefined {
  const sent = header('authorization')?.trim() ?? ''

  return sent === '' ? undefined : sent.replace(/^\S+\s+/, '')
}

/** The API key of an archived request, masked, and what tells it from other ones with the same end. `numbers` are those of complete keys. */
export function archivedKey(
  { _key: key, _client: client }: Pick<HarEntry, '_key' | '_client'>,
  sent: string | undefined,
  numbers: Map<string, string>,
): Pick<ReportEntry, 'key'> & { readonly client: string | undefined } {
  if (key !== undefined) return { key, client }
  if (sent === undefined) return { key: NO_KEY, client }
  // Some recorders have already masked the key.
  if (sent.startsWith('…')) return { key: sent, client }
  const number = numbers.get(sent) ?? String(numbers.size + 1)
  numbers.set(sent, number)

  return { key: maskSecret(sent), client: number }
}
