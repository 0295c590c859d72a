import type { JSX } from 'preact'
import type { SandboxClient } from '../../client/sandbox-client.ts'
import type { ExchangeSummary } from '../../journal/exchange.ts'
import { formatNumber } from '../../report/format.ts'
import { Badge, type Tone } from '../../report/html/sections.tsx'
import { usePage, useTrafficOf } from '../page.ts'

type Source = NonNullable<ExchangeSummary['source']>

/** What the body of an answer is made of, by the value of `X-Sandbox-Source`. */
const SOURCE_TEXTS: Readonly<Record<Source, string>> = {
  record: 'stored records',
  invented: 'a record that was made for an id that nobody created',
  example: 'an example of the document',
  generated: 'generated values',
  handler: 'own code',
}

type Certainty = Awaited<ReturnType<SandboxClient['operation']>>['certainty']

const TONES: Readonly<Record<Certainty, Tone>> = {
  sure: 'good',
  likely: 'neutral',
  guess: 'warning',
}

/** How sure it is that the sandbox does what the operation means. */
export function CertaintyBadge({ certainty }: { readonly certainty: Certainty }): JSX.Element {
  return <Badge tone={TONES[certainty]}>{certainty}</Badge>
}

/** What the answers of an operation were made of, and how often. Each is a link to these exchanges. Nothing when there are none. */
export function AnswerSources({ operation }: { readonly operation: string }): JSX.Element | null {
  const { linkTo } = usePage()
  const counts = [...(useTrafficOf(operation).sources.get(operation) ?? [])]
  if (counts.length === 0) return null

  return (
    <span class="answer-sources">
      {counts.map(([source, count]) => (
        <a
          key={source}
          href={linkTo({ view: 'traffic', query: { operation, text: source } })}
          title={SOURCE_TEXTS[source]}
        >
          {source} {formatNumber(count)}
        </a>
      ))}
    </span>
  )
}
