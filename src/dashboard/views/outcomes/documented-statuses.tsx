import type { JSX } from 'preact'
import { useLinks, usePage } from '../../page.ts'
import { useLoaded } from '../../parts/use-loaded.ts'

interface StatusesProps {
  /** The chosen operations. */
  readonly operations: readonly string[]
}

/** The statuses that the document has for the operation, when one is chosen, and how a request gets any of them. */
export function DocumentedStatuses({
  operations: [id, ...others],
}: StatusesProps): JSX.Element | null {
  const { client } = usePage()
  const linkTo = useLinks()
  const single = others.length === 0 ? id : undefined
  const { value } = useLoaded(
    async () => (single === undefined ? undefined : client.operation(single)),
    [client, single],
  )
  if (value === undefined || value.operation !== single) return null
  const statuses = value.responses.map(({ status }) => status)
  const example = statuses.find((status) => status >= 400) ?? statuses[0]
  if (example === undefined) return null

  return (
    <p class="hint long">
      Documented statuses: {statuses.join(', ')}. A single request gets any of them with the header{' '}
      <code>Prefer: code={example}</code>.{' '}
      <a href={linkTo({ view: 'operations', path: [single] })}>Send a request to {single}</a>
    </p>
  )
}
