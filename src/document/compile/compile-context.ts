import type { Schema, SchemaValidator } from '../../contract/contract.ts'
import type { Document } from '../document.ts'
import type { Direction } from '../schemas/direction.ts'

/** What compiling an operation needs. */
export interface CompileContext {
  readonly document: Document
  readonly schemaOf: (schema: unknown, direction: Direction) => Schema
  readonly compileSchema: (schema: Schema) => SchemaValidator
}
