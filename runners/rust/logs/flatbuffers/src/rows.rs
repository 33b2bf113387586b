//! Between rows and tables.

use std::hint::black_box;

use flatbuffers::{Follow, Vector, Verifiable};
use wirelab_kit::files::Failure;
use wirelab_messages::logs::{self, HOOK, Level, LogBlock, LogMeta, LogRecord, LogText};

use crate::tables::{
    Attachment, Block, Borrowed, Builder, Built, Meta, Record, RecordBinary, build,
};

/// A row that tables hold.
pub trait Row: Sized + 'static {
    type Root<'a>: Follow<'a, Inner = Self::Root<'a>> + Verifiable;

    fn build(&self, builder: &mut Builder) -> Built;

    /// Reads every field in place.
    fn touch(root: &Self::Root<'_>) -> Result<(), Failure>;

    /// Whether the filter takes the row: first by its level, then by what else it needs.
    fn matches(root: &Self::Root<'_>) -> Result<bool, Failure>;

    fn row(root: &Self::Root<'_>) -> Result<Self, Failure>;
}

pub fn build_meta(meta: &LogMeta, builder: &mut Builder) -> Built {
    build!(builder, Meta {
        level: scalar meta.level as u8,
        target: scalar meta.target as u8,
        tm: scalar meta.tm,
    })
}

pub fn touch_meta(meta: Meta) {
    black_box((meta.level(), meta.target(), meta.tm()));
}

pub fn is_err(meta: Meta) -> bool {
    meta.level() == Level::Err as u8
}

pub fn meta_row(meta: Meta) -> Result<LogMeta, Failure> {
    Ok(LogMeta {
        level: meta.level().try_into()?,
        target: meta.target().try_into()?,
        tm: meta.tm(),
    })
}

pub fn build_attachment(attachment: &logs::Attachment, builder: &mut Builder) -> Built {
    let uuid = builder.create_string(&attachment.uuid);
    let name = builder.create_string(&attachment.name);
    let data = builder.create_vector(&attachment.data);
    let mut fields = Vec::with_capacity(attachment.fields.len());
    for (key, value) in &attachment.fields {
        let key = builder.create_string(key);
        let value = builder.create_string(value);
        fields.push(build!(builder, Field { key: offset key, value: offset value }));
    }
    let fields = builder.create_vector(&fields);
    build!(builder, Attachment {
        uuid: offset uuid,
        name: offset name,
        chunk: scalar attachment.chunk,
        data: offset data,
        fields: offset fields,
    })
}

pub fn touch_attachment(attachment: Attachment) -> Result<(), Failure> {
    black_box((attachment.uuid()?, attachment.name()?, attachment.chunk()));
    black_box(attachment.data()?.bytes());
    for field in attachment.fields()? {
        black_box((field.key()?, field.value()?));
    }
    Ok(())
}

pub fn attachment_row(attachment: Attachment) -> Result<logs::Attachment, Failure> {
    let fields = attachment.fields()?.iter();
    Ok(logs::Attachment {
        uuid: attachment.uuid()?.to_owned(),
        name: attachment.name()?.to_owned(),
        chunk: attachment.chunk(),
        data: attachment.data()?.bytes().to_vec(),
        fields: fields
            .map(|field| Ok((field.key()?.to_owned(), field.value()?.to_owned())))
            .collect::<Result<_, Failure>>()?,
    })
}

impl Row for LogText {
    type Root<'a> = Record<'a>;

    fn build(&self, builder: &mut Builder) -> Built {
        let meta = build_meta(&self.meta, builder);
        let msg = builder.create_string(&self.payload);
        build!(builder, Record { meta: offset meta, msg: offset msg })
    }

    fn touch(root: &Record) -> Result<(), Failure> {
        touch_meta(root.meta()?);
        black_box(root.msg()?);
        Ok(())
    }

    fn matches(root: &Record) -> Result<bool, Failure> {
        Ok(is_err(root.meta()?) && root.msg()?.contains(HOOK))
    }

    fn row(root: &Record) -> Result<Self, Failure> {
        Ok(Self {
            meta: meta_row(root.meta()?)?,
            payload: root.msg()?.to_owned(),
        })
    }
}

impl Row for LogRecord {
    type Root<'a> = RecordBinary<'a>;

    fn build(&self, builder: &mut Builder) -> Built {
        let meta = build_meta(&self.meta, builder);
        let payload = build_attachment(&self.payload, builder);
        build!(builder, RecordBinary { meta: offset meta, payload: offset payload })
    }

    fn touch(root: &RecordBinary) -> Result<(), Failure> {
        touch_meta(root.meta()?);
        touch_attachment(root.payload()?)
    }

    fn matches(root: &RecordBinary) -> Result<bool, Failure> {
        Ok(is_err(root.meta()?) && root.payload()?.name()?.contains(HOOK))
    }

    fn row(root: &RecordBinary) -> Result<Self, Failure> {
        Ok(Self {
            meta: meta_row(root.meta()?)?,
            payload: attachment_row(root.payload()?)?,
        })
    }
}

impl Row for LogBlock {
    type Root<'a> = Borrowed<'a>;

    fn build(&self, builder: &mut Builder) -> Built {
        let field_u128 = builder.create_vector(&self.field_u128.to_le_bytes());
        let field_i128 = builder.create_vector(&self.field_i128.to_le_bytes());
        let blob_a = builder.create_vector(&self.blob_a);
        let blob_b = builder.create_vector(&self.blob_b);
        let block = build!(builder, Block {
            field_u8: scalar self.field_u8,
            field_u16: scalar self.field_u16,
            field_u32: scalar self.field_u32,
            field_u64: scalar self.field_u64,
            field_u128: offset field_u128,
            field_i8: scalar self.field_i8,
            field_i16: scalar self.field_i16,
            field_i32: scalar self.field_i32,
            field_i64: scalar self.field_i64,
            field_i128: offset field_i128,
            field_f32: scalar self.field_f32,
            field_f64: scalar self.field_f64,
            field_bool: scalar self.field_bool,
            blob_a: offset blob_a,
            blob_b: offset blob_b,
        });
        build!(builder, Borrowed { block: offset block })
    }

    fn touch(root: &Borrowed) -> Result<(), Failure> {
        let block = root.block()?;
        black_box((
            block.field_u8(),
            block.field_u16(),
            block.field_u32(),
            block.field_u64(),
        ));
        black_box((
            block.field_i8(),
            block.field_i16(),
            block.field_i32(),
            block.field_i64(),
        ));
        black_box((block.field_f32(), block.field_f64(), block.field_bool()));
        black_box((block.field_u128()?.bytes(), block.field_i128()?.bytes()));
        black_box((block.blob_a()?.bytes(), block.blob_b()?.bytes()));
        Ok(())
    }

    /// Nothing filters these rows.
    fn matches(_: &Borrowed) -> Result<bool, Failure> {
        Ok(false)
    }

    fn row(root: &Borrowed) -> Result<Self, Failure> {
        let block: Block = root.block()?;
        Ok(Self {
            field_u8: block.field_u8(),
            field_u16: block.field_u16(),
            field_u32: block.field_u32(),
            field_u64: block.field_u64(),
            field_u128: u128::from_le_bytes(exactly(block.field_u128()?, "field_u128")?),
            field_i8: block.field_i8(),
            field_i16: block.field_i16(),
            field_i32: block.field_i32(),
            field_i64: block.field_i64(),
            field_i128: i128::from_le_bytes(exactly(block.field_i128()?, "field_i128")?),
            field_f32: block.field_f32(),
            field_f64: block.field_f64(),
            field_bool: block.field_bool(),
            blob_a: exactly(block.blob_a()?, "blob_a")?,
            blob_b: exactly(block.blob_b()?, "blob_b")?,
        })
    }
}

fn exactly<const N: usize>(bytes: Vector<'_, u8>, name: &str) -> Result<[u8; N], Failure> {
    bytes
        .bytes()
        .try_into()
        .map_err(|_| format!("{name} has {} bytes, not {N}", bytes.len()).into())
}
