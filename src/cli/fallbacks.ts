import type { Contract } from '../contract/contract.ts'
import type { ExchangeSummary } from '../journal/exchange.ts'
import { bindingOf } from '../resources/bind.ts'
import { hintText, listHints } from '../resources/doubts.ts'
import { describeReason } from '../resources/explain-operations.ts'

/** An operation whose answer contains no stored records, and what would change that. */
export interface Fallback {
  readonly operation: string
  readonly source: NonNullable<ExchangeSummary['source']>
  readonly reason: string
  /** What to do, for people. */
  readonly help?: string
  /** The hint for the operation, ready to paste. */
  readonly hint?: string
}

/** Finds the first exchange of each operation whose answer contains no stored records, unless the document or the request says so. */
export function createFallbackFinder(
  contract: () => Contract,
): (exchange: ExchangeSummary) => Fallback | undefined {
  const found = new Set<string>()

  return (exchange) => {
    const { operation, source, sourceReason: reason, forced } = exchange
    if (!operation || !source || reason === undefined || forced !== undefined) return undefined
    const key = `${operation} ${source} ${reason}`
    if (found.has(key)) return undefined
    found.add(key)

    return fallbackOf({ operation, source, reason }, contract())
  }
}

function fallbackOf(fallback: Fallback, contract: Contract): Fallback | undefined {
  if (fallback.source === 'invented')
    return { ...fallback, help: 'To make it a 404, start with --unknown-ids 404.' }
  const operation = contract.operations.find(({ id }) => id === fallback.operation)
  const binding = operation && bindingOf(contract, operation)
  if (binding?.action !== 'stateless' || binding.reason === 'hint') return undefined
  // A request that prefers an example says nothing about the next one.
  if (fallback.reason !== describeReason(binding.reason, binding.operation)) return undefined
  const hints = listHints(binding.operation, contract)
  if (!hints) return fallback
  const hint = hintText(hints)

  return {
    ...fallback,
    help: `To make it list the records of ${hints.resource}, add this hint to it: ${hint}`,
    hint,
  }
}

/** `findPets answers with a generated body: it searches. To make it …` */
export function describeFallback({ operation, source, reason, help }: Fallback): string {
  const what = `${operation} answers with ${BODIES[source]}: ${reason}.`
  return help === undefined ? what : `${what} ${help}`
}

const BODIES: Readonly<Record<Fallback['source'], string>> = {
  record: 'a stored record',
  handler: 'code of its own',
  invented: 'a record that is made up',
  example: 'an example of the document',
  generated: 'a generated body',
}
