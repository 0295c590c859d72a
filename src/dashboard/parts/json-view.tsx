import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

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
export function JsonView({ value, name, level = 0 }: JsonProps): JSX.Element {
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
            <button type="button" onClick={() => setShown(shown + 1000)}>
              Show {entries.length - shown} more
            </button>
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
