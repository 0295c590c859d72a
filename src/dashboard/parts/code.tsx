import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from './copy.tsx'
import { JsonView } from './json-view.tsx'

interface CodeProps {
  readonly text: string
  /** What the text is, such as "Response body". */
  readonly label: string
}

/** Text as it is, in a box that scrolls. JSON can be shown as a tree. */
export function Code({ text, label }: CodeProps): JSX.Element {
  const json = readJson(text)
  const [isTree, setTree] = useState(true)

  return (
    <div class="code">
      <div class="code-tools">
        {json && (
          <button type="button" class="small" onClick={() => setTree(!isTree)}>
            {isTree ? 'Show text' : 'Show tree'}
          </button>
        )}
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} isSmall />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <section class="code-text" aria-label={label} tabIndex={0}>
        {json && isTree ? <JsonView value={json.value} /> : <pre>{text}</pre>}
      </section>
    </div>
  )
}

/** JavaScript would alter a number of so many digits. */
const LONG_NUMBER = /\d{16}/

/** The value of a JSON object or array; `undefined` for any other text, and for one whose numbers would be altered. */
function readJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{]/.test(text) || LONG_NUMBER.test(text)) return undefined
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
