import type { Exchange, Note } from '../exchange.ts'

export interface Pair {
  readonly name: string
  readonly value: string
}

/** As much of an archive's entry as a report reads; what a sandbox adds has an underscore. */
export interface Archived {
  readonly startedDateTime: string
  readonly time?: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly Pair[]
    readonly postData?: { readonly text?: string }
  }
  readonly response: {
    readonly status: number
    readonly headers: readonly Pair[]
    readonly content?: { readonly text?: string }
  }
  readonly _id?: number
  readonly _follows?: number
  readonly _caller?: Exchange['caller']
  readonly _plan?: string
  readonly _reason?: string
  readonly _forced?: string
  readonly _notes?: readonly Note[]
}

/** Whether it is an HTTP archive, as far as a report reads one. */
export function isHar(
  har: unknown,
): har is { readonly log: { readonly entries: readonly Archived[] } } {
  const entries = Object(Object(har).log).entries
  return Array.isArray(entries) && entries.every(isArchived)
}

function isArchived(value: unknown): value is Archived {
  const { startedDateTime, request, response } = Object(value)
  return (
    !Number.isNaN(Date.parse(startedDateTime)) &&
    typeof request?.url === 'string' &&
    typeof request.method === 'string' &&
    Array.isArray(request.headers) &&
    typeof response?.status === 'number' &&
    Array.isArray(response.headers)
  )
}
