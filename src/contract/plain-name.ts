/** A name without its spelling: `petId`, `pet_id` and `pet[id]` are the same. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
