import type { JSX } from 'preact'
import type { Exchange } from '../../../journal/exchange.ts'
import { adviceOnNote, clauseOfStatus } from './clauses.ts'

interface ExchangeProps {
  readonly exchange: Exchange
}

/** Why the request was refused or what was forced on it, with the clause. */
export function ProblemSection({ exchange }: ExchangeProps): JSX.Element | null {
  const { status, reason, refusal, forced } = exchange
  if (!refusal && reason === undefined && forced === undefined) return null
  const clause = clauseOfStatus(status)

  return (
    <section class="callout warning" aria-label="Reason">
      <h3>{forced === undefined ? 'Why it was refused' : `Forced: ${forced}`}</h3>
      {refusal && (
        <p>
          {refusal.message} <code>{refusal.code}</code>
        </p>
      )}
      {refusal?.errors && (
        <ul>
          {refusal.errors.map(({ location, keyword }) => (
            <li key={`${location} ${keyword}`}>
              <code>{location}</code>
              {keyword !== undefined && ` breaks "${keyword}"`}
            </li>
          ))}
        </ul>
      )}
      {reason !== undefined && (
        <p>
          <span class="quiet">X-Sandbox-Reason:</span> <code>{reason}</code>
        </p>
      )}
      {clause !== undefined && <p class="quiet">{clause}</p>}
    </section>
  )
}

/** What the service accepted although a client should not send it. */
export function NotesSection({ notes }: Pick<Exchange, 'notes'>): JSX.Element | null {
  if (notes.length === 0) return null
  return (
    <section class="callout" aria-label="Notes">
      <h3>Notes</h3>
      <ul>
        {notes.map((note) => (
          <li key={`${note.kind} ${note.place}`}>
            <b>{note.kind}</b> <code>{note.place}</code>
            <br />
            <span class="quiet">{adviceOnNote(note)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The quota that the request used. */
export function QuotaSection({
  quota,
}: {
  readonly quota: Exchange['quota'] | undefined
}): JSX.Element | null {
  if (!quota) return null
  const { before, after } = quota

  return (
    <section aria-label="Quota">
      <h3>Quota</h3>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Requests left</th>
            <th scope="col" class="number">
              Before
            </th>
            <th scope="col" class="number">
              After
            </th>
          </tr>
        </thead>
        <tbody>
          {(['minute', 'day'] as const).map((window) => (
            <tr key={window}>
              <th scope="row">{window === 'minute' ? 'in the minute' : 'on the day'}</th>
              <td class="number">{before[window].toLocaleString('en')}</td>
              <td class="number">{after[window].toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
