import type { Operation } from '../../contract/contract.ts'
import { deprecationHeaders } from '../../contract/deprecation.ts'
import type { ProbeResponse } from '../requests/probe-messages.ts'
import { linkOf } from '../requests/response-headers.ts'
import { type CheckDefinition, operationCheck } from './check.ts'
import { everyResponse, failure, isResponseTo } from './evaluate.ts'

/** Stands for the address of the server in expected links. */
const BASE = 'http://server'

const CLAUSES: Readonly<Record<string, string>> = {
  Deprecation: 'RFC 9745',
  Sunset: 'RFC 8594',
  Link: 'RFC 8288',
}

/** The deprecation headers of an operation. OpenAPI does not require them, so they are decisions. */
export function deprecationChecks(operation: Operation): CheckDefinition[] {
  if (!operation.deprecation) return []

  return Object.entries(deprecationHeaders(operation.deprecation, BASE)).map(([name, value]) =>
    operationCheck(
      operation,
      `deprecation/${name}`,
      `announces its deprecation in the header ${name}`,
      everyResponse(
        (response) => isResponseTo(operation, response),
        (response) => {
          const received = response.headers.get(name)
          const isExpected = name === 'Link' ? hasLink(response, value) : received === value
          return isExpected
            ? 'passed'
            : failure(
                response,
                `${name}: ${value.replace(BASE, '…')}`,
                received ?? 'the header is missing',
              )
        },
      ),
      { decision: true, clause: CLAUSES[name] ?? 'RFC 9745' },
    ),
  )
}

/** Compares the path of the link only, because the rest depends on the address of the server. */
function hasLink({ headers }: ProbeResponse, expected: string): boolean {
  const target = linkOf(headers, 'successor-version') ?? ''
  const [, path = ''] = /<http:\/\/server([^>]*)>/.exec(expected) ?? []

  return path === '' ? expected.includes(`<${target}>`) : target.endsWith(path)
}
