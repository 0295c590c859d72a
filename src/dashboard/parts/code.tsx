import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { formatNumber } from '../../report/format.ts'
import { usePage } from '../page.ts'
import { Button, Icon } from './elements.tsx'

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
          <Button class="small" onClick={() => setTree(!isTree)}>
            {isTree ? 'Show text' : 'Show tree'}
          </Button>
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

/** Levels that are open at first. */
const OPEN_LEVELS = 3
/** The entries of an object or array that are shown at first. */
const SHOWN_ENTRIES = 100

interface JsonProps {
  readonly value: unknown
  /** The name of the property; absent at the top. */
  readonly name?: string
  readonly level?: number
}

/** A JSON value as a tree that can be folded. */
function JsonView({ value, name, level = 0 }: JsonProps): JSX.Element {
  if (typeof value === 'object' && value !== null) {
    return <JsonBranch value={value} level={level} {...(name !== undefined && { name })} />
  }
  return (
    <div class="json-line">
      <JsonName name={name} />
      <span class={`json-${value === null ? 'null' : typeof value}`}>{JSON.stringify(value)}</span>
    </div>
  )
}

function JsonBranch({ value, name, level = 0 }: JsonProps & { value: object }): JSX.Element {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS)
  const [shown, setShown] = useState(SHOWN_ENTRIES)
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const [before, after] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) {
    return (
      <div class="json-line">
        <JsonName name={name} />
        {before + after}
      </div>
    )
  }
  return (
    <details
      class="json-branch"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <JsonName name={name} />
        {before}
        {!isOpen && (
          <span class="quiet">
            {' '}
            {entries.length} … {after}
          </span>
        )}
      </summary>
      {isOpen && (
        <div class="json-children">
          {entries.slice(0, shown).map(([key, child]) => (
            <JsonView key={key} value={child} level={level + 1} {...(!isList && { name: key })} />
          ))}
          {entries.length > shown && (
            <Button onClick={() => setShown(shown + 1000)}>
              Show {entries.length - shown} more
            </Button>
          )}
        </div>
      )}
      {isOpen && after}
    </details>
  )
}

function JsonName({ name }: { readonly name: string | undefined }): JSX.Element | null {
  return name === undefined ? null : <span class="json-name">{JSON.stringify(name)}: </span>
}

interface WholeTextProps extends CodeProps {
  /** The characters that are shown without opening it. */
  readonly most: number
}

/** All of a text that is too long to be shown at once, when it is opened. Nothing for a short one. */
export function WholeText({ text, label, most }: WholeTextProps): JSX.Element | null {
  if (startOf(text, most) === text) return null

  return (
    <details>
      <summary>Show all {formatNumber([...text].length)} characters</summary>
      <Code text={text} label={label} />
    </details>
  )
}

/** The first characters of a long text with `…` after them; a short one as it is. */
export function startOf(text: string, most: number): string {
  // Half of a character that is written in two parts is none.
  const letters = [...text.slice(0, 2 * most + 2)]
  return letters.length > most ? `${letters.slice(0, most).join('')}…` : text
}

/** Longer values of headers are folded. */
const MAX_VALUE = 200

interface HeaderListProps {
  /** Names with their values. */
  readonly headers: readonly (readonly [string, string])[]
  /** Whether the list is open at first; by default it is closed. */
  readonly isOpen?: boolean
}

/** The headers of a message, below their number. */
export function HeaderList({ headers, isOpen = false }: HeaderListProps): JSX.Element {
  return (
    <details open={isOpen}>
      <summary>{headers.length} headers</summary>
      <dl class="headers">
        {headers.map(([name, value], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>
              {startOf(value, MAX_VALUE)}
              <WholeText text={value} most={MAX_VALUE} label="Value" />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

interface CopyProps {
  readonly text: string
  /** A verb with its object, such as "Copy as curl". */
  readonly label: string
  /** Only the icon is drawn; the label is the name. */
  readonly isSmall?: boolean
}

/** Copies a text to the clipboard. */
export function CopyButton({ text, label, isSmall = false }: CopyProps): JSX.Element {
  const { toasts } = usePage()
  const copy = (): Promise<void> =>
    writeClipboard(text).then(
      () => toasts.done('Copied.'),
      () => toasts.failed('Cannot copy: the browser does not allow it.'),
    )

  return (
    <Button
      class={isSmall ? 'icon-button' : ''}
      {...(isSmall && { 'aria-label': label, title: label })}
      onClick={() => void copy()}
    >
      <Icon name="copy" />
      {!isSmall && label}
    </Button>
  )
}

/** Pages that are not served over HTTPS or from this machine have no clipboard. */
async function writeClipboard(text: string): Promise<void> {
  const { clipboard }: { readonly clipboard?: Clipboard } = navigator
  if (!clipboard) throw new TypeError('There is no clipboard')
  await clipboard.writeText(text)
}
