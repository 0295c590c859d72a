import type { JSX } from 'preact'
import type { CollectionDetails, RecordProperty, RecordValues } from './collection-details.ts'
import { PropertyField } from './property-field.tsx'
import { inputKindOf } from './property-input.ts'
import type { FormTexts } from './record-changes.ts'

interface PropertyFieldsProps {
  readonly details: CollectionDetails
  readonly properties: readonly RecordProperty[]
  /** The record before it was edited. */
  readonly initial: RecordValues
  readonly texts: FormTexts
  readonly errors: Readonly<Record<string, string>>
  readonly write: (name: string, text: string) => void
  readonly isNew: boolean
}

/** An input for each property. Those that the service sets are below the others. */
export function PropertyFields(props: PropertyFieldsProps): JSX.Element {
  const { properties, details, isNew, errors } = props
  const editable = properties.filter(({ name }) => isNew || name !== details.id)
  const own = editable.filter(({ readOnly }) => !readOnly)
  const ofService = editable.filter(({ readOnly }) => readOnly)
  const hasError = ofService.some(({ name }) => errors[name])

  return (
    <>
      <List {...props} properties={own} />
      {ofService.length > 0 && (
        <details open={hasError}>
          <summary>Properties that the service sets ({ofService.length})</summary>
          <div class="stack">
            <List {...props} properties={ofService} />
          </div>
        </details>
      )}
    </>
  )
}

function List({ properties, initial, texts, errors, write }: PropertyFieldsProps): JSX.Element {
  return (
    <>
      {properties.map((property) => (
        <PropertyField
          key={property.name}
          property={property}
          kind={inputKindOf(property.schema, initial[property.name])}
          text={texts[property.name] ?? ''}
          error={errors[property.name]}
          onInput={(text) => write(property.name, text)}
        />
      ))}
    </>
  )
}
