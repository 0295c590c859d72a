import type { JSX } from 'preact'
import { count } from '../../../validation/plural.ts'
import { describeSuggestion } from '../../../validation/suggestion.ts'
import type { OperationDetails } from './operation-types.ts'

type Diagnostics = OperationDetails['diagnostics']

/** The mistakes of the document that concern an operation, with what is assumed instead. Nothing when there are none. */
export function DiagnosticList(props: { readonly diagnostics: Diagnostics }): JSX.Element | null {
  const { diagnostics } = props
  if (diagnostics.length === 0) return null

  return (
    <details class="diagnostics" open>
      <summary>{count(diagnostics.length, 'mistake')} in the document</summary>
      <ul>
        {diagnostics.map((one) => (
          <li key={one.location + one.reason}>
            <code class="long">{one.location}</code>
            <p class="long">
              {one.reason}.{one.assumed !== undefined && ` Assumed instead: ${one.assumed}.`}{' '}
              {one.help ?? describeSuggestion(one)}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}
