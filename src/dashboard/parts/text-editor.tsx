import type { ComponentChildren, JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { formatCount } from '../../report/format.ts'
import { Button } from './elements.tsx'
import { Field } from './field.tsx'

/** A mistake in a text, and where it is. */
export interface TextMistake {
  readonly message: string
  readonly from: number
  readonly to: number
}

interface TextEditorProps {
  readonly label: string
  readonly value: string
  readonly onInput: (text: string) => void
  /** By their positions. */
  readonly mistakes: readonly TextMistake[]
}

/** In longer texts, mistakes are listed and not marked. */
const MAX_MARKED = 100_000
const MAX_LISTED = 20

/** A text that is edited, with its mistakes marked and listed. */
export function TextEditor({ label, value, onInput, mistakes }: TextEditorProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const rows = Math.min(24, Math.max(5, value.split('\n', 30).length + 1))
  const select = ({ from, to }: TextMistake): void => {
    const area = box.current?.querySelector('textarea')
    area?.focus()
    area?.setSelectionRange(from, to)
  }

  return (
    <div class="text-editor">
      <div
        class="text-editor-box"
        ref={box}
        onScrollCapture={({ target }) => {
          const marks = box.current?.querySelector('pre')
          if (marks && target instanceof HTMLTextAreaElement) marks.scrollTop = target.scrollTop
        }}
      >
        <Field label={label} rows={rows} value={value} onInput={onInput} />
        {mistakes.length > 0 && value.length <= MAX_MARKED && (
          <pre
            aria-hidden="true"
            class="text-editor-marks"
            style={{ height: `${rows * 20 + 18}px` }}
          >
            {marked(value, mistakes)}
          </pre>
        )}
      </div>
      <ul class="mistakes" aria-label="Mistakes in the body" aria-live="polite">
        {mistakes.slice(0, MAX_LISTED).map((one, at) => (
          <li key={at}>
            <Button class="small" onClick={() => select(one)}>
              Line {lineAt(value, one.from)}
            </Button>{' '}
            <span class="long">{one.message}</span>
          </li>
        ))}
        {mistakes.length > MAX_LISTED && (
          <li>and {formatCount(mistakes.length - MAX_LISTED, 'other mistake')}</li>
        )}
      </ul>
    </div>
  )
}

function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

/** The text with marks at the mistakes. Those that overlap an earlier one have no mark of their own. */
function marked(text: string, mistakes: readonly TextMistake[]): ComponentChildren {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const { from, to } of mistakes.toSorted((one, other) => one.from - other.from)) {
    if (from < end) continue
    const stop = Math.max(to, from + 1)
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, stop) || ' '}</mark>)
    end = stop
  }
  return [...parts, `${text.slice(end)} `]
}
