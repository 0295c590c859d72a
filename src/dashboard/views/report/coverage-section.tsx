import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Coverage, itemsOf, type OperationCoverage } from '../../../report/coverage.ts'
import { Badge } from '../../parts/badge.tsx'
import { Field } from '../../parts/field.tsx'

/** More operations are drawn on request. */
const SHOWN = 30
/** Longer lists get a search field. */
const SEARCHED = 10

/** Which parts of the contract the requests covered. */
export function CoverageSection({ coverage }: { readonly coverage: Coverage }): JSX.Element {
  const { percent, met, total, operations } = coverage
  const [text, setText] = useState('')
  const [shown, setShown] = useState(SHOWN)
  const wanted = text.toLowerCase()
  const found = operations.filter(({ operation, request }) =>
    `${operation} ${request}`.toLowerCase().includes(wanted),
  )

  return (
    <section class="card" aria-label="Coverage">
      <h2>Coverage {percent} %</h2>
      <svg class="coverage-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="gauge-ground" width="100" height="6" />
        <rect class="gauge-left" width={percent} height="6" />
      </svg>
      <p class="quiet">
        The requests covered {met.toLocaleString('en')} of {total.toLocaleString('en')} items:
        operations, response statuses, documented values and error cases. The number after × says
        how many requests covered an item.
      </p>
      {operations.length > SEARCHED && (
        <Field
          label="Search the coverage"
          isLabelHidden
          type="search"
          placeholder="Search operations"
          value={text}
          onInput={setText}
        />
      )}
      <ul class="coverage">
        {found.slice(0, shown).map((one) => (
          <CoverageItem key={one.operation} coverage={one} />
        ))}
        {found.length === 0 && <li class="quiet">No operation matches.</li>}
      </ul>
      {found.length > shown && (
        <button type="button" onClick={() => setShown(found.length)}>
          Show {(found.length - shown).toLocaleString('en')} more operations
        </button>
      )}
    </section>
  )
}

function CoverageItem({ coverage }: { readonly coverage: OperationCoverage }): JSX.Element {
  const { operation, request, count } = coverage
  const items = itemsOf(coverage)
  const covered = items.filter((item) => item.count > 0).length

  return (
    <li>
      <div class="long">
        <b>{operation}</b>
        <br />
        <code class="quiet">{request}</code>
      </div>
      <div>
        {count === 0 ? 'never called' : `${count.toLocaleString('en')} requests`}
        <br />
        <span class="quiet">
          {covered} of {items.length} covered
        </span>
      </div>
      <p class="items">
        {items.map((item) => (
          <Badge key={item.name} tone={item.count > 0 ? 'good' : 'neutral'}>
            {item.name}
            {item.count > 0 && ` ×${item.count.toLocaleString('en')}`}
          </Badge>
        ))}
      </p>
    </li>
  )
}
