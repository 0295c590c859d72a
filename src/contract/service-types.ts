/** The names and record types of a service, for the compiler. The build writes those of the shipped contract. */
export interface ServiceTypes {
  /** The names of the operations. */
  readonly operation: string
  /** The record types of each collection, by the last segment of its path. */
  readonly collections: Readonly<Record<string, RecordTypes>>
  /** The names of the plans that a sandbox of the service starts with. */
  readonly plan?: string
  /** The API keys that a sandbox of the service starts with. */
  readonly key?: string
  /** The names of the scenarios that a sandbox of the service starts with. */
  readonly scenario?: string
}

/** A name that editors complete. Other names are accepted, too, because plans, keys and scenarios can be added. */
export type NameOf<Types extends ServiceTypes, Kind extends 'plan' | 'key' | 'scenario'> =
  Types extends Readonly<Record<Kind, infer Name extends string>> ? Name | (string & {}) : string

/** The name of a scenario that a sandbox has. Without types, any text. */
export type ScenarioOf<Types extends ServiceTypes> =
  Types extends Readonly<Record<'scenario', infer Name extends string>> ? Name : string

/** The types of a collection's records. */
export interface RecordTypes {
  /** The type of a record's id. */
  readonly id: number | string
  /** A stored record. */
  readonly record: Readonly<Record<string, unknown>>
  /** A record to create. The id and the properties with a default are optional. */
  readonly created: Readonly<Record<string, unknown>>
}
