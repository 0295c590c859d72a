import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Schema } from '../../contract/contract.ts'
import { isObject } from '../../validation/objects.ts'
import {
  alternativeName,
  limitsOf,
  type NamedSchemas,
  shortText,
  typeText,
  viewOf,
} from '../schema-view.ts'
import { useFirst } from './elements.tsx'
import { Markdown } from './markdown.tsx'

interface SchemaTreeProps {
  readonly schema: Schema
  readonly schemas: NamedSchemas
  /** The name of a property; absent at the top. */
  readonly name?: string
  readonly isRequired?: boolean
  /** Whether the parts are shown at first. */
  readonly isOpen?: boolean
}

/** A schema as a tree. What is closed is not drawn, so that a schema may contain itself. */
export function SchemaTree(props: SchemaTreeProps): JSX.Element {
  const { schema: given, schemas, name, isRequired = false } = props
  const [isOpen, setOpen] = useState(props.isOpen ?? false)
  const view = viewOf(given, schemas)
  const { children, kind } = partsOf(given, schemas)
  const type = typeText(view, schemas)
  const flags = Object.keys(FLAGS).filter((flag) => view.schema[flag] === true)
  const line = (
    <>
      {name !== undefined && <code class="schema-name">{name}</code>}{' '}
      {type !== name && <span class="schema-type">{type}</span>}
      {isRequired && <span class="required"> required</span>}
      {flags.map((flag) => (
        <span key={flag} class="quiet">
          {' '}
          {FLAGS[flag]}
        </span>
      ))}
    </>
  )
  const facts = <SchemaFacts schema={view.schema} isMissing={view.isMissing} />
  if (children.length === 0) {
    return (
      <div class="schema-line">
        <p>{line}</p>
        {facts}
      </div>
    )
  }

  return (
    <details
      class="schema-branch"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{line}</summary>
      {facts}
      {isOpen && <Parts parts={children} schemas={schemas} kind={kind} />}
    </details>
  )
}

const FLAGS: Readonly<Record<string, string>> = {
  readOnly: 'read-only',
  writeOnly: 'write-only',
  deprecated: 'deprecated',
}

/** A part of a schema: a property, an alternative, the items. */
interface Part {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

interface SchemaParts {
  readonly children: readonly Part[]
  /** What the parts are, such as "properties". */
  readonly kind: string
}

/** The parts of a schema. A list has the parts of its items. */
function partsOf(given: Schema, schemas: NamedSchemas, depth = 0): SchemaParts {
  const { schema, alternatives } = viewOf(given, schemas)
  const { properties = {}, required = [], items, additionalProperties } = schema
  const needed = new Set(required)
  const named = Object.entries(properties).map(([name, one]) => ({
    name,
    schema: one,
    isRequired: needed.has(name),
  }))
  const others =
    isObject(additionalProperties) && Object.keys(additionalProperties).length > 0
      ? [{ name: 'any other name', schema: additionalProperties as Schema, isRequired: false }]
      : []
  const choices = alternatives.map((one, at) => {
    return { name: alternativeName(one, at, schemas), schema: one, isRequired: false }
  })
  if (choices.length > 0) return { children: [...choices, ...named], kind: 'alternatives' }
  const own = [...named, ...others]
  if (own.length > 0 || !items || depth > 3) return { children: own, kind: 'properties' }

  return partsOf(items, schemas, depth + 1)
}

/** How many parts are shown at first. */
const SHOWN = 40

interface PartsProps {
  readonly parts: readonly Part[]
  readonly schemas: NamedSchemas
  readonly kind: string
}

function Parts({ parts, schemas, kind }: PartsProps): JSX.Element {
  const { first, more } = useFirst(parts, SHOWN, kind)

  return (
    <div class="schema-parts">
      {first.map((part) => (
        <SchemaTree key={part.name} {...part} schemas={schemas} />
      ))}
      {more}
    </div>
  )
}

/** How many values of an `enum` are shown at first. */
const SHOWN_VALUES = 20

interface FactsProps {
  readonly schema: Schema
  readonly isMissing?: boolean
}

/** The description of a value, its limits, its values, its default and its example. */
export function SchemaFacts({ schema, isMissing = false }: FactsProps): JSX.Element {
  const { description, enum: values = [], const: constant, default: preset, example } = schema
  const itemValues = schema.items?.enum ?? []
  const { first, more } = useFirst([...values, ...itemValues], SHOWN_VALUES, 'values')
  const limits = limitsOf(schema)
  const sample = example ?? [schema.examples].flat()[0]

  return (
    <>
      {typeof description === 'string' && description !== '' && <Markdown text={description} />}
      {limits.length > 0 && <p class="schema-fact long">{limits.join(', ')}</p>}
      {first.length > 0 && (
        <p class="schema-fact long">
          One of{' '}
          {first.map((value, at) => (
            <code key={at} class="value">
              {shortText(value)}
            </code>
          ))}
          {more}
        </p>
      )}
      {constant !== undefined && <Fact label="Always" value={constant} />}
      {preset !== undefined && <Fact label="Default" value={preset} />}
      {sample !== undefined && <Fact label="Example" value={sample} />}
      {isMissing && (
        <p class="hint">The document is too large to show this part. It is in document.json.</p>
      )}
    </>
  )
}

function Fact({ label, value }: { readonly label: string; readonly value: unknown }): JSX.Element {
  return (
    <p class="schema-fact long">
      {label} <code class="value">{shortText(value, 200)}</code>
    </p>
  )
}
