import { siteUrl } from '../platform/http/validation/fields.ts';
import { Input, Optional, ReadOnly } from '../platform/http/validation/input.ts';
import { WritableSettings } from './writable-settings.dto.ts';

/** The fields that cannot be written are accepted and ignored, so that a client can send back an answer (docs/spec/decisions.md#P6). */
@Input('ProjectChange', 'Only supplied fields change')
export class UpdateProjectDto extends WritableSettings {
  @Optional(siteUrl('Base URL', 'https://example.com')) url?: string;
  @ReadOnly() id?: unknown;
  @ReadOnly() apiKey?: unknown;
  @ReadOnly() payerId?: unknown;
  @ReadOnly() created?: unknown;
  @ReadOnly() userIds?: unknown;
  @ReadOnly() status?: unknown;
  @ReadOnly() sslStatus?: unknown;
  @ReadOnly() sslExpiration?: unknown;
  @ReadOnly() sslDaysLeft?: unknown;
  @ReadOnly() sslError?: unknown;
  @ReadOnly() httpsRedirectStatus?: unknown;
  @ReadOnly() httpsRedirectFinalUrl?: unknown;
  @ReadOnly() httpsRedirectCheckedAt?: unknown;
  @ReadOnly() isWordPress?: unknown;
  @ReadOnly() permissions?: unknown;
}
