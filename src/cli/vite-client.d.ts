/** What the import of an OpenAPI document is, with the plugin of `pet-sandbox/vite`. */
declare module '*?sandbox' {
  import type { Contract } from 'pet-sandbox'

  const contract: Contract
  export default contract
}
